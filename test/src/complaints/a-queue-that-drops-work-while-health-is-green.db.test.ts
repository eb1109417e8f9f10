import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { createInProcessBus } from '@daybook/transport/in-process/in-process-bus'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Complained, startComplained } from './support/complained.ts'
import { HEALED, newUser, REPORTED, type User } from './support/user.ts'

/**
 * The answer says "queued for processing", and nothing ever happens: the worker was never started, or one
 * message killed it, and the status stays fine (getzep/graphiti#704, #1164). An empty queue looks as healthy
 * as one that nobody works on.
 *
 * Here accepted work is in the journal, which is the queue. It cannot be dropped; an index can only be
 * behind, and that is a visible number.
 */
describe.each(SERVICE_DATABASES)('a queue that drops work while health is green, on $name', ({ start }) => {
  let daybook: Complained
  let user: User
  beforeAll(async () => {
    // Takes every message and delivers none.
    const working = createInProcessBus()
    const bus = { ...working, publish: async () => {} }
    daybook = await startComplained({ start }, { bus })
    user = await newUser(daybook.gateways[0]!)
  })
  afterAll(() => daybook?.stop())

  it('the bus loses every message: all that was accepted is found in the journal and written', async () => {
    const memories = await user.remember(['a barge at noon', 'a barge at dusk'])
    const found = await user.find('barge', { atLeast: memories.at(-1)!.sequence })
    expect(found).toMatchObject({ degraded: expect.not.arrayContaining([expect.stringMatching(/behind/u)]) })
    expect(found.texts.toSorted()).toEqual(['a barge at dusk', 'a barge at noon'])
  })

  it('nobody works any more: said in the answer, the status, the checks and the metrics; made up for by the next who does', async () => {
    await daybook.gateways[0]!.stopProjector()
    daybook.gateways[0]!.waitAtMost(50)
    const memories = await user.remember(Array.from({ length: 7 }, (_, n) => `a ferry, trip ${n}`))
    const { sequence } = memories.at(-1)!
    await expect
      .poll(() => user.check('projection pgvector'), REPORTED)
      .toMatchObject({
        status: 'FAILED',
        message: '7 events are not applied yet, and nobody applies them',
      })
    await expect
      .poll(async () => (await user.data('{ projections { name lag } }'))['projections'], REPORTED)
      .toEqual([{ name: 'pgvector', lag: 7 }])
    await expect.poll(() => user.metric('daybook_projection_lag'), REPORTED).toBe(7)
    await expect
      .poll(async () => (await user.find('ferry', { atLeast: sequence })).degraded.join(), REPORTED)
      .toMatch(/behind the \d+ asked for/u)
    daybook.gateways[0]!.waitAtMost()
    await daybook.gateways[0]!.startProjector()
    await expect.poll(async () => (await user.find('ferry')).texts.length, HEALED).toBe(7)
    expect((await user.check('projection pgvector')).status).toBe('OK')
  })

  it('one message cannot be worked off: the others go on, it is named, and tried again until it can', async () => {
    await daybook.harm(async (trx) => {
      await sql`
        create function pgvector_1.refuse() returns trigger language plpgsql as $$
        begin
          if new.state::text like '%leaking%' then raise exception 'no room for it'; end if;
          return new;
        end $$`.execute(trx)
      await sql`create trigger refuse before insert on pgvector_1.memories
        for each row execute function pgvector_1.refuse()`.execute(trx)
    })
    await user.remember(['a raft, sound', 'a raft, leaking', 'a raft, afloat'])
    await expect
      .poll(() => user.check('parked'), REPORTED)
      .toMatchObject({
        status: 'WARNING',
        message: expect.stringContaining('could not apply 1 event'),
      })
    await expect.poll(async () => (await user.find('raft')).texts.length, REPORTED).toBe(2)
    expect(await user.data('{ projections { parked } }')).toEqual({ projections: [{ parked: 1 }] })

    await daybook.harm(async (trx) => {
      await sql`drop trigger refuse on pgvector_1.memories`.execute(trx)
      // As if it had been so for an hour.
      await sql`update daybook.parked_events set parked_at = now() - interval '1 hour'`.execute(trx)
    })
    await expect.poll(async () => (await user.find('raft')).texts.length, HEALED).toBe(3)
    expect((await user.check('parked')).status).toBe('OK')
  })
})
