import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Complained, PLACES, startComplained } from './support/complained.ts'
import { asUser, HEALED, newUser, REPORTED, type User } from './support/user.ts'

/**
 * Two agents, or a hook and a server, write at once, and the index can never be opened again. Most reports
 * concern a file index shared by processes (MemPalace/mempalace#1963 with #357 and #1581 among some 25;
 * mem0ai/mem0#4892).
 *
 * Here writers append to a journal under a lock and never touch an index. Projectors, however many, take
 * turns in transactions. If an index is damaged all the same, it is rewritten from the journal.
 */
describe.each(PLACES)('an index corrupted by concurrent writers, on $name', (place) => {
  const { database, typesense, projection, engine } = place
  let daybook: Complained
  let user: User
  let writers: User[]
  beforeAll(async () => {
    daybook = await startComplained(database, { gateways: 2, typesense })
    user = await newUser(daybook.gateways[0]!)
    // The same key at both gateways.
    const other = asUser(daybook.gateways[1]!.client(user))
    writers = [user, other, user, other, user, other]
  })
  afterAll(() => daybook?.stop())

  it('many writers at two gateways, two projectors of which one ends midway: the index is what the journal says', async () => {
    const work = async (writer: User, w: number) => {
      for (let round = 0; round < 3; round += 1) {
        const [kept, revised, gone] = await writer.remember([
          `kept anchor ${w} ${round}`,
          `first anchor ${w} ${round}`,
          `lost anchor ${w} ${round}`,
        ])
        await Promise.all([
          writer.revise(revised!.id, `second anchor ${w} ${round}`),
          writer.forget(gone!.id),
        ])
        await writer.forget(kept!.id)
        await writer.restore(kept!.id)
      }
    }
    const writing = Promise.all(writers.map(work))
    await daybook.gateways[1]!.stopProjector()
    await writing
    await user.settled()
    const { texts } = await user.find('anchor', { engine })
    expect(texts).toHaveLength(writers.length * 3 * 2)
    expect(texts.filter((text) => /first|lost/u.test(text))).toEqual([])
    expect(await user.metric('daybook_self_check_differed')).toBe(0)
    expect(await user.verify('pgvector')).toBe(true)
    expect(await user.verify(projection)).toBe(true)
  })

  it('what is damaged all the same is reported and made again', async () => {
    if (daybook.typesense === null)
      await daybook.harm((trx) =>
        sql`update pgvector_1.postings set entries = '', recent = '', removed = ''
          where project_id = ${user.projectId} and lexeme = 'anchor'`.execute(trx),
      )
    else {
      const { ids } = await user.find('anchor', { engine })
      const torn = ids.map((id) => ({
        id: `${user.projectId}_${id.slice(id.indexOf(':') + 1)}`,
        text: 'torn',
      }))
      await daybook.typesense.request((server) =>
        server.collections(daybook.collection).documents().import(torn, { action: 'update' }),
      )
    }
    await expect
      .poll(() => user.check('self-check'), REPORTED)
      .toMatchObject({
        status: 'WARNING',
        message: expect.stringContaining(`of ${projection} differed`),
      })
    await expect
      .poll(async () => (await user.find('anchor', { engine, mode: 'KEYWORD' })).texts.length, HEALED)
      .toBe(writers.length * 3 * 2)
    await expect.poll(() => user.verify(projection), HEALED).toBe(true)
  })
})
