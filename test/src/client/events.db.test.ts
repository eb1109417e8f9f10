import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient, type MemoryEvent } from '@daybook/client'
import { useTestGateway } from '@daybook/gateway/testing/test-gateway'
import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { afterEach, describe, expect, test } from 'vitest'
import { all, failureOf } from './failure-of.ts'

const note = (text: string, context?: string) => ({ content: { note: { text } }, context })
const textsOf = (events: readonly MemoryEvent[]) => events.map(({ memory }) => memory?.text)

const aborts: AbortController[] = []
afterEach(() => {
  for (const abort of aborts.splice(0)) abort.abort()
})

/** Collects events as they come, until the test ends. */
function collect(given: (signal: AbortSignal) => AsyncIterable<MemoryEvent>) {
  const abort = new AbortController()
  aborts.push(abort)
  const events: MemoryEvent[] = []
  const ended = (async () => {
    for await (const event of given(abort.signal)) events.push(event)
  })()
  return { events, ended, end: () => abort.abort() }
}

describe.each(SERVICE_DATABASES)('events on $name', ({ start }) => {
  const suite = useTestGateway(start)
  const open = (options: object = {}) =>
    createClient({ url: suite.client.url, apiKey: suite.client.key, ...options })

  test('come from any place on, and then live, until the reader leaves', async () => {
    const client = open()
    await client.rememberMany([note('one'), note('two', 'shop'), note('three')])
    const everything = collect((signal) => client.events({ after: 0, signal }))
    await expect.poll(() => textsOf(everything.events)).toEqual(['one', 'two', 'three'])
    const [, second] = everything.events
    const rest = collect((signal) => client.events({ after: second, signal }))
    const ofShop = collect((signal) => client.events({ after: 0, filter: { context: 'shop' }, signal }))
    await client.remember(note('four', 'shop'))
    await expect.poll(() => textsOf(rest.events)).toEqual(['three', 'four'])
    await expect.poll(() => textsOf(ofShop.events)).toEqual(['two', 'four'])
    expect(second).toMatchObject({
      type: 'MemoryRemembered',
      sequence: 2,
      version: 1,
      memory: { kind: 'NOTE' },
    })
    everything.end()
    await everything.ended
    expect(textsOf(everything.events)).toEqual(['one', 'two', 'three', 'four'])
  })

  test('a connection that breaks again and again leaves no gap and repeats nothing', async () => {
    let connections = 0
    /** Lets each stream pass some bytes, wherever that cuts an event. */
    const breaking: typeof fetch = async (url, init) => {
      const response = await fetch(url, init)
      if (response.headers.get('content-type')?.includes('event-stream') !== true) return response
      connections += 1
      let left = 700 * connections
      const cut = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, out) {
          out.enqueue(chunk.subarray(0, left))
          left -= chunk.length
          if (left <= 0) out.error(new Error('cut'))
        },
      })
      return new Response(response.body?.pipeThrough(cut) ?? null, response)
    }
    const client = open({ fetch: breaking })
    const following = collect((signal) => client.events({ signal }))
    // From now on: what is written from here must come.
    await expect.poll(() => connections).toBeGreaterThan(0)
    const texts = Array.from({ length: 8 }, (_, index) => `event ${index}`)
    for (const text of texts) await client.remember(note(text))
    await expect.poll(() => textsOf(following.events)).toEqual(texts)
    expect(connections).toBeGreaterThan(2)
  })

  test('what does not pass ends them: a wrong key, and a journal that has lost its end', async () => {
    const wrong = createClient({ url: suite.client.url, apiKey: 'dbk_wrong' })
    expect((await failureOf(all(wrong.events({ after: 0 })))).code).toBe('UNAUTHENTICATED')
    const client = open()
    const { sequence } = await client.remember(note('one'))
    const lost = client.events({ after: { sequence, hash: 'f'.repeat(64) } })
    expect(await failureOf(all(lost))).toMatchObject({ code: 'DIVERGED', details: { head: 1 } })
  })
})

describe('a connection', () => {
  test('that falls silent is given up and opened again', async () => {
    let opened = 0
    const server = createServer((_, response) => {
      opened += 1
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const client = createClient({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      apiKey: 'dbk_x',
    })
    const { ended, end } = collect((signal) => client.events({ after: 0, silenceMs: 50, signal }))
    await expect.poll(() => opened).toBeGreaterThan(1)
    end()
    await ended
    server.close().closeAllConnections()
  })

  test('that never comes about ends them once the retries are over', async () => {
    const server = createServer(() => {})
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.close()
    const client = createClient({ url, apiKey: 'dbk_x', retryForMs: 100 })
    expect((await failureOf(all(client.events({ after: 0 })))).code).toBe('UNREACHABLE')
  })
})
