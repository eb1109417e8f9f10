import { createClient, type DaybookClient } from '@daybook/client'
import { useTestGateway } from '@daybook/gateway/testing/test-gateway'
import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { afterEach, describe, expect, test } from 'vitest'
import { all, failureOf } from './failure-of.ts'

const INSIGHT = { content: { insight: { key: 'k', content: 'a giraffe' } } }

/** How many memories each way to read finds. */
const READS: readonly [string, (client: DaybookClient) => Promise<number>][] = [
  ['search', async (client) => (await client.search('giraffe')).hits.length],
  ['contextFor', async (client) => (await client.contextFor('giraffe')).entries.length],
  ['recall', async (client) => (await client.recall('k')).hits.length],
  ['memories', async (client) => (await all(client.memories())).length],
  ['facets', async (client) => (await client.facets()).memories],
]

describe.each(SERVICE_DATABASES)('reading one’s own writes on $name', (kind) => {
  const suite = useTestGateway(kind.start)
  const open = (options: object = {}) =>
    createClient({ url: suite.client.url, apiKey: suite.client.key, retryForMs: 0, ...options })
  let stopped = false
  const stop = async () => {
    await suite.running.stopProjector()
    stopped = true
  }
  const start = async () => {
    if (stopped) await suite.running.startProjector()
    stopped = false
  }
  afterEach(start)

  test.each(READS)('%s waits for the newest one', async (_, read) => {
    await stop()
    const [client, hasty] = [open(), open({ readYourWrites: false })]
    await client.remember(INSIGHT)
    await hasty.revise((await hasty.remember({ content: { note: { text: 'giraffes' } } })).id, {
      labels: ['a'],
    })
    expect(await read(hasty)).toBe(0)
    const found = read(client)
    await start()
    expect(await found).toBeGreaterThan(0)
  })

  test('a receipt makes another client wait for the write, and none makes nobody wait', async () => {
    await stop()
    const client = open()
    const { sequence, hash, id } = await client.remember(INSIGHT)
    expect(await client.memory(id, { atLeast: null })).toBeNull()
    const other = open().memory(id, { atLeast: { sequence, hash } })
    await start()
    expect(await other).toMatchObject({ id, sequence })
  })

  test('a write that the journal has lost is reported once', async () => {
    const forging: typeof fetch = async (url, init) => {
      const text = await (await fetch(url, init)).text()
      return new Response(text.replaceAll(/"hash":"[0-9a-f]{64}"/gu, `"hash":"${'0'.repeat(64)}"`))
    }
    for (const read of [READS[0], READS[2]]) {
      const client = open({ fetch: forging })
      await client.remember(INSIGHT)
      expect((await failureOf(read?.[1](client) ?? Promise.resolve())).code).toBe('DIVERGED')
      await read?.[1](client)
    }
  })
})
