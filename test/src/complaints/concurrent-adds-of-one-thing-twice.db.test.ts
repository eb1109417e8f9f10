import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Complained, startComplained } from './support/complained.ts'
import { asUser, newUser, type User } from './support/user.ts'

/**
 * A request is retried, a webhook comes twice, or two turns of an agent run at once. Each checks whether the
 * fact exists, neither finds it, and both add it (mem0ai/mem0#6515 and its twin #6531;
 * rohitg00/agentmemory#15; MihaiBuilds/memory-vault#111).
 *
 * Here a request may carry an idempotency key, which is unique in the same transaction as the event.
 */
describe.each(SERVICE_DATABASES)('concurrent adds of one thing twice, on $name', ({ start }) => {
  let daybook: Complained
  let user: User
  let other: User
  beforeAll(async () => {
    daybook = await startComplained({ start }, { gateways: 2 })
    user = await newUser(daybook.gateways[0]!)
    other = asUser(daybook.gateways[1]!.client(user))
  })
  afterAll(() => daybook?.stop())

  const fact = { text: 'the user likes coffee', idempotencyKey: 'turn-17' }

  it('thirty clients at two gateways send it at once: one memory, one event, the same answer for all', async () => {
    const answers = (
      await Promise.all(Array.from({ length: 30 }, (_, n) => (n % 2 === 0 ? user : other).remember([fact])))
    ).flat()
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1)
    expect(new Set(answers.map(({ sequence }) => sequence)).size).toBe(1)
    expect(answers.filter(({ duplicate }) => !duplicate)).toHaveLength(1)
    expect(await user.journal()).toHaveLength(1)
    expect((await user.find('coffee', { atLeast: answers[0]!.sequence })).texts).toEqual([fact.text])
  })

  it('twice in one request: one memory', async () => {
    const twin = { text: 'the user likes tea', idempotencyKey: 'turn-18' }
    const [one, again] = await user.remember([twin, twin])
    expect(again).toEqual({ ...one!, duplicate: true })
    expect(await user.journal(one!.sequence)).toEqual([])
  })

  it('the answer was lost on the way: the next try gets it, from whichever gateway', async () => {
    const lost = { text: 'the user likes rain', idempotencyKey: 'turn-19' }
    const abort = new AbortController()
    const body = JSON.stringify({
      query: 'mutation ($input: RememberInput!) { remember(input: $input) { __typename } }',
      variables: { input: { content: { note: { text: lost.text } }, idempotencyKey: lost.idempotencyKey } },
    })
    const cut = fetch(`${user.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' },
      body,
      signal: abort.signal,
    }).catch(() => 'cut')
    const again = other.remember([lost])
    abort.abort()
    await cut
    const [memory] = await again
    const [last] = await user.remember([lost])
    expect(last).toEqual({ ...memory!, duplicate: true })
    expect((await user.find('rain', { atLeast: memory!.sequence })).texts).toEqual([lost.text])
  })

  it('another thing under the same key is refused by name, and not taken for it', async () => {
    await expect(user.remember([{ ...fact, text: 'the user hates coffee' }])).rejects.toThrow(
      /IDEMPOTENCY|CONFLICT/u,
    )
  })
})
