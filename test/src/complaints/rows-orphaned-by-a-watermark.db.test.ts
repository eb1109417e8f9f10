import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Complained, PLACES, startComplained } from './support/complained.ts'
import { HEALED, newUser, REPORTED, type User } from './support/user.ts'

/**
 * A number says how far an index has come, and is wrong: rows before it were never written, and nobody looks
 * for them any more. claude-mem repeatedly lost a third to a half of its rows from semantic search that way,
 * while everything said "caught up" (thedotmack/claude-mem#2487, #3360, #3917). A number that went back wrote
 * other rows twice or not at all.
 *
 * Here the position is in the same database as the rows, applying an event twice gives the same result, and
 * the contents are compared with the journal whatever the position says.
 */
describe.each(PLACES)('rows orphaned by a watermark, on $name', (place) => {
  const { database, typesense, projection, engine } = place
  let daybook: Complained
  let user: User
  beforeAll(async () => {
    daybook = await startComplained(database, { typesense })
    user = await newUser(daybook.gateways[0]!)
  })
  afterAll(() => daybook?.stop())

  const find = (query: string) => user.find(query, { engine })

  /**
   * The position to another event of the journal: one that is not is told apart by its hash, and nothing is
   * looked for there.
   */
  const moveTo = (sequence: number) =>
    daybook.harm((trx) =>
      sql`update daybook.positions p set position = e.sequence, hash = e.hash from daybook.events e
        where p.projection = ${projection} and p.project_id = ${user.projectId}
          and e.project_id = p.project_id and e.sequence = ${sequence}`.execute(trx),
    )
  const pause = () =>
    typesense === null ? daybook.gateways[0]!.stopProjector() : daybook.stopTypesenseProjector()
  const goOn = () =>
    typesense === null ? daybook.gateways[0]!.startProjector() : daybook.startTypesenseProjector()

  it('one that went back: what is there is written once more, and nothing is there twice', async () => {
    const memories = await user.remember(Array.from({ length: 20 }, (_, n) => `compass bearing ${n}`))
    await user.revise(memories[3]!.id, 'compass bearing revised')
    await user.forget(memories[4]!.id)
    await user.settled()
    await moveTo(7)
    await user.settled()
    const { texts } = await find('compass')
    expect(texts).toHaveLength(19)
    expect(new Set(texts).size).toBe(19)
    expect(texts).toContain('compass bearing revised')
    expect(await user.verify(projection)).toBe(true)
  })

  it('one that ran ahead of rows that were never written: they are missed, reported and written', async () => {
    await pause()
    const memories = await user.remember(Array.from({ length: 6 }, (_, n) => `sextant reading ${n}`))
    await moveTo(memories.at(-1)!.sequence)
    await goOn()
    await expect
      .poll(() => user.check('self-check'), REPORTED)
      .toMatchObject({
        status: 'WARNING',
        message: expect.stringMatching(/^\d+ memories of \w+ differed .*missing/u),
      })
    await expect.poll(async () => (await find('sextant')).texts.length, HEALED).toBe(6)
    await user.settled()
    expect(await user.verify(projection)).toBe(true)
  })
})
