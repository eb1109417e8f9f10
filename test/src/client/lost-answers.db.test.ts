import { createClient } from '@daybook/client'
import { useTestGateway } from '@daybook/gateway/testing/test-gateway'
import { TEST_DATABASES } from '@daybook/postgres/testing/test-database'
import { describe, expect, test } from 'vitest'
import { all, failureOf } from './failure-of.ts'

const NOTE = { content: { note: { text: 'once' } } }

// What is tested here is the client's, so one database is enough.
describe.each(TEST_DATABASES.slice(0, 1))('retries on $name', ({ start }) => {
  const suite = useTestGateway(start)

  /** A client whose first requests go wrong. @param faults what each does instead of its own answer */
  function faultyClient(faults: (() => Response)[], retryForMs = 240_000) {
    const left = [...faults]
    let sent = 0
    const faulty: typeof fetch = async (url, init) => {
      sent += 1
      const fault = left.shift()
      if (fault === undefined) return fetch(url, init)
      // The request arrives; what is lost or replaced is its answer.
      await (await fetch(url, init)).text()
      return fault()
    }
    const { url, key } = suite.client
    return { client: createClient({ url, apiKey: key, retryForMs, fetch: faulty }), sent: () => sent }
  }
  const lost = (): Response => {
    throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) })
  }
  const notes = () => all(createClient({ url: suite.client.url, apiKey: suite.client.key }).memories())

  test('a change whose answer is lost twice takes effect once', async () => {
    const { client, sent } = faultyClient([lost, lost])
    expect(await client.remember(NOTE)).toMatchObject({ version: 1, sequence: 1, duplicate: true })
    expect(sent()).toBe(3)
    const [memory] = await expect.poll(notes).toHaveLength(1).then(notes)
    const { client: forgetting } = faultyClient([lost])
    expect(await forgetting.forget(memory?.id ?? '')).toMatchObject({ version: 2, duplicate: true })
    const { client: many } = faultyClient([lost])
    expect(await many.rememberMany([NOTE, NOTE])).toMatchObject([{ sequence: 3 }, { sequence: 4 }])
    const { client: indexing } = faultyClient([lost])
    await indexing.indexDocument({ id: 'a', content: 'b' })
    await expect.poll(notes).toHaveLength(3)
  })

  test('where it gives up, the error has the key with which the same call takes effect once', async () => {
    const { client } = faultyClient([lost], 0)
    const failure = await failureOf(client.remember(NOTE))
    expect(failure).toMatchObject({ code: 'UNREACHABLE', mayHaveArrived: true })
    const idempotencyKey = failure.details['idempotencyKey'] as string
    expect(await client.remember(NOTE, { idempotencyKey })).toMatchObject({ sequence: 1, duplicate: true })
  })

  test('it waits as long as it is asked to, and not longer than it may', async () => {
    const busy = (seconds: string) => () =>
      new Response('busy', { status: 503, headers: { 'retry-after': seconds } })
    const { client } = faultyClient([busy('0.7')])
    const began = performance.now()
    await client.search('anything')
    expect(performance.now() - began).toBeGreaterThanOrEqual(700)
    const impatient = faultyClient([busy('60')], 10_000)
    expect(await failureOf(impatient.client.search('anything'))).toMatchObject({
      code: 'UNAVAILABLE',
      retryAfterMs: 60_000,
    })
    expect(impatient.sent()).toBe(1)
  })

  test('what would fail again is sent once, and so is an undo', async () => {
    const { client, sent } = faultyClient([])
    expect((await failureOf(client.remember({ content: { note: { text: ' ' } } }))).code).toBe('VALIDATION')
    expect(sent()).toBe(1)
    const undoing = faultyClient([lost])
    const since = new Date(Date.now() - 60_000).toISOString()
    const undo = undoing.client.undo({ since, filter: {}, everything: true, dryRun: false })
    expect(await failureOf(undo)).toMatchObject({ code: 'UNREACHABLE', mayHaveArrived: true })
    expect(undoing.sent()).toBe(1)
  })

  test('a caller who gives up ends the retries', async () => {
    const { client, sent } = faultyClient([lost])
    const reason = new Error('enough')
    const abort = new AbortController()
    const call = failureOf(client.remember(NOTE, { signal: abort.signal }))
    await expect.poll(sent).toBe(1)
    abort.abort(reason)
    expect(await call).toBe(reason)
    expect(sent()).toBe(1)
  })
})
