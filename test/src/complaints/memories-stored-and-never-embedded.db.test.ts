import type { Embedder } from '@daybook/embeddings/embedder'
import { createHashEmbedder } from '@daybook/embeddings/hash-embedder'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Complained, PLACES, startComplained } from './support/complained.ts'
import { HEALED, newUser, REPORTED, type User } from './support/user.ts'

/**
 * The embedding provider is unavailable for a moment. The memory is stored without a vector, nobody makes one
 * later, and no search by meaning ever finds it (benclawbot/open-brain#60, raphasouthall/neurostack#29,
 * doobidoo/mcp-memory-service#1225, mem0ai/mem0#5245).
 *
 * Here a text without a vector is a row in a queue that is processed until it is empty. Answers say what
 * lacks vectors. The self-check finds texts that lack a vector but are in no queue, and queues them again.
 */
describe.each(PLACES)('memories stored and never embedded, on $name', (place) => {
  const { database, typesense, projection, engine } = place
  let daybook: Complained
  let user: User
  let down = false
  beforeAll(async () => {
    const working = createHashEmbedder({ dimension: 64, tokenBits: true })
    // Queries still get their vectors, so that nothing hides what memories lack.
    const embedder: Embedder = {
      ...working,
      async embed(texts) {
        if (down) throw new Error('the provider is unavailable')
        return working.embed(texts)
      },
    }
    daybook = await startComplained(database, { embedder, typesense })
  })
  beforeEach(async () => {
    user = await newUser(daybook.gateways[0]!)
  })
  afterAll(() => daybook?.stop())

  const byMeaning = async () => (await user.find('lantern', { engine, mode: 'SEMANTIC' })).texts.length

  it('as the embedder was unavailable: said in answers and reports, and made up for once it is back', async () => {
    down = true
    await user.remember(['a lantern on the pier', 'another lantern'])
    await expect
      .poll(async () => (await user.find('lantern', { engine, mode: 'HYBRID' })).degraded.join(), REPORTED)
      .toMatch(/2 memories have no vector yet/u)
    await expect
      .poll(() => user.check('vectors'), REPORTED)
      .toMatchObject({
        status: 'WARNING',
        message: expect.stringContaining('the provider is unavailable'),
      })
    await expect.poll(async () => (await user.find('lantern', { engine })).texts).toHaveLength(2)
    down = false
    await expect.poll(byMeaning, HEALED).toBe(2)
    await user.settled()
  })

  it('as the queue lost the texts: found and queued again', async () => {
    down = true
    await user.remember(['a lantern of brass', 'a lantern of tin'])
    await expect.poll(async () => (await user.check('vectors')).status, REPORTED).toBe('WARNING')
    await daybook.harm((trx) => sql`delete from daybook.embeddings where embedded_at is null`.execute(trx))
    down = false
    await expect
      .poll(() => user.check('self-check'), REPORTED)
      .toMatchObject({
        status: 'WARNING',
        message: expect.stringMatching(/vectors/u),
      })
    await expect.poll(byMeaning, HEALED).toBe(2)
    await user.settled()
    expect(await user.verify(projection)).toBe(true)
  })

  it('as vectors were lost that had been made: made again, and searched again', async () => {
    const memories = await user.remember(['a lantern of glass', 'a lantern of horn'])
    await user.settled()
    await daybook.harm(async (trx) => {
      await sql`delete from daybook.embedding_chunks where content_hash in (
        select content_hash from pgvector_1.memories where project_id = ${user.projectId})`.execute(trx)
      await sql`delete from pgvector_1.vectors where project_id = ${user.projectId}`.execute(trx)
    })
    await expect
      .poll(() => user.check('self-check'), REPORTED)
      .toMatchObject({
        status: 'WARNING',
        message: expect.stringMatching(/vectors/u),
      })
    // Typesense still has them meanwhile, without a store that says so.
    await expect.poll(() => user.verify(projection), HEALED).toBe(true)
    // What waits for its vector lacks it rightly, so that a verification may be clean before.
    await expect.poll(byMeaning, HEALED).toBe(memories.length)
  })

  it('as token bits were lost: made again', async () => {
    await user.remember(['a lantern of iron', 'a lantern of paper'])
    await user.settled()
    const whole = () =>
      daybook.harm(async (trx) => {
        const { rows } = await sql<{ whole: number }>`
          select count(*) as whole from daybook.embeddings
          where project_id = ${user.projectId} and octet_length(token_bits) = 4 * 64 / 8`.execute(trx)
        return rows[0]?.whole
      })
    expect(await whole()).toBe(2)
    await daybook.harm((trx) =>
      sql`update daybook.embeddings set token_bits = substr(token_bits, 1, 8)
        where project_id = ${user.projectId}`.execute(trx),
    )
    await expect
      .poll(() => user.check('self-check'), REPORTED)
      .toMatchObject({ status: 'WARNING', message: expect.stringMatching(/vectors/u) })
    await expect.poll(whole, HEALED).toBe(2)
    await expect.poll(() => user.verify('PGVECTOR'), HEALED).toBe(true)
  })

  it('as the worker that had taken the texts was killed: taken by another when its lease is over', async () => {
    down = true
    await user.remember(['a lantern of stone'])
    await expect.poll(async () => (await user.check('vectors')).status, REPORTED).toBe('WARNING')
    // What a worker leaves that was killed right after it took them: the lease is two minutes.
    const leaseUntil = (end: string) =>
      daybook.harm((trx) =>
        sql`update daybook.embeddings set leased_until = now() + ${end}::interval, last_error = null
          where embedded_at is null`.execute(trx),
      )
    await leaseUntil('2 minutes')
    down = false
    expect((await user.find('lantern', { engine, mode: 'HYBRID' })).degraded.join()).toMatch(
      /1 memory has no vector yet/u,
    )
    await leaseUntil('0 s')
    await expect.poll(byMeaning, HEALED).toBe(1)
  })
})
