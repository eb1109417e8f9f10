import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Complained, startComplained } from './support/complained.ts'
import { HEALED, newUser, REPORTED, type User } from './support/user.ts'

/**
 * A memory disappears and nothing says when, by whom or why: no entry in the feed, no tombstone
 * (nowledge-co/nowledge-mem#81), or a history whose deletions have no time (mem0ai/mem0#4467).
 *
 * Here an event removes a memory and names the key that asked for it. The database refuses other deletions.
 * If one succeeds all the same, it is detected, and undone as far as possible.
 */
describe.each(SERVICE_DATABASES)('deletes without an event, on $name', ({ start }) => {
  let daybook: Complained
  let user: User
  beforeAll(async () => {
    daybook = await startComplained({ start })
    user = await newUser(daybook.gateways[0]!)
  })
  afterAll(() => daybook?.stop())

  it('forgetting is an event: in the journal, the history and the feed, with its actor', async () => {
    const [memory] = await user.remember(['a bell that rang once'])
    const feed = await fetch(`${user.url}/graphql`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${user.key}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
      body: JSON.stringify({
        query: `subscription { events(after: ${memory!.sequence}) { type memoryId actor recordedAt } }`,
      }),
    })
    const sequence = await user.forget(memory!.id)
    const event = { type: 'MemoryForgotten', memoryId: memory!.id, actor: expect.stringMatching(/\w/u) }
    expect((await user.journal(memory!.sequence))[0]).toMatchObject({ ...event, sequence, version: 2 })
    const { memory: kept } = await user.data(
      `query ($id: ID!, $atLeast: Int) { memory(id: $id, atLeast: $atLeast) { forgottenAt history { edges { node { type recordedAt } } } } }`,
      { id: memory!.id, atLeast: sequence },
    )
    expect(kept.forgottenAt).toMatch(/^\d{4}-/u)
    expect(kept.history.edges.map(({ node }: { node: { type: string } }) => node.type)).toContain(
      'MemoryForgotten',
    )
    let text = ''
    for await (const part of feed.body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(part).toString()
      if (text.includes('MemoryForgotten')) break
    }
    expect(text).toContain(memory!.memoryId)
  })

  it('the service itself may not delete events: the database refuses it', async () => {
    await expect(
      sql`delete from events where project_id = ${user.projectId}`.execute(daybook.database.db),
    ).rejects.toThrow(/permission denied/u)
  })

  it('deleted from the index behind its back, a memory comes back', async () => {
    const [memory] = await user.remember(['a gong that rang twice'])
    await user.settled()
    await daybook.harm((trx) =>
      sql`delete from pgvector_1.memories where memory_id = ${memory!.memoryId}`.execute(trx),
    )
    await expect
      .poll(async () => (await user.check('self-check')).message, REPORTED)
      .toContain(memory!.memoryId)
    await expect.poll(async () => (await user.find('gong')).texts, HEALED).toEqual(['a gong that rang twice'])
  })

  it('deleted from the journal by the owner of the tables, which nothing undoes: reported as what it is', async () => {
    const [memory] = await user.remember(['a chime that was silenced', 'a chime that rang on'])
    await user.settled()
    await daybook.harm((trx) =>
      sql`delete from daybook.events where project_id = ${user.projectId} and sequence = ${memory!.sequence}`.execute(
        trx,
      ),
    )
    await expect
      .poll(() => user.check('self-check'), REPORTED)
      .toMatchObject({
        status: 'FAILED',
        message: expect.stringMatching(new RegExp(`journal is damaged, in project ${user.projectId}`, 'u')),
      })
  })
})
