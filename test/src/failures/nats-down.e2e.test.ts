import { OWN_POSTGRES } from '@daybook/postgres/testing/native-binaries'
import { needing } from '@daybook/runtime/testing/needing'
import { OWN_NATS } from '@daybook/transport/testing/native-nats'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Cluster, startCluster } from '../chaos/cluster.ts'
import { startSubscriber } from '../chaos/subscriber.ts'
import { dataOf } from '../support/graphql.ts'

needing(OWN_POSTGRES, OWN_NATS).describe('while NATS is down', () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster({
      embedder: 'none',
      embedderOf: 'some',
      alone: ['projector-pgvector', 'projector-typesense', 'reindex'],
    })
    await cluster.nats.kill()
  })
  afterAll(() => cluster.stop())

  const remember = async (text: string): Promise<number> => {
    const query = `mutation ($text: String!) {
      remember(input: { content: { note: { text: $text } } }) { ... on Remembered { sequence } }
    }`
    const { remember: result } = dataOf(
      await cluster.api.graphql<{ remember: { sequence: number } }>({ query, variables: { text } }),
    )
    return result.sequence
  }
  const search = async (words: string, atLeast: number) => {
    const query = `query ($words: String!, $atLeast: Int!) {
      search(query: $words, mode: KEYWORD, atLeast: $atLeast) { hits { memory { text } } sequence degraded }
    }`
    const data = await cluster.api.graphql<{
      search: { hits: { memory: { text: string } }[]; sequence: number; degraded: string[] }
    }>({ query, variables: { words, atLeast } })
    return dataOf(data).search
  }

  test('writes succeed, and projectors find them in the journal', async () => {
    const sequence = await remember('written without a bus')
    await expect
      .poll(async () => (await search('bus', sequence)).hits.map(({ memory }) => memory.text))
      .toEqual(['written without a bus'])
  })

  test('every service is ready, and says in `degraded` that NATS is missing', async () => {
    for (const { name, url } of cluster.services)
      await expect
        .poll(async () => (await fetch(`${url()}/ready`)).json(), { message: name })
        .toMatchObject({
          ready: true,
          degraded: expect.arrayContaining([expect.stringContaining('NATS at')]),
        })
  })

  test('subscribers go on, through whichever gateway', async () => {
    const subscriber = startSubscriber(cluster.gatewayUrls, cluster.apiKey)
    try {
      const sequence = await remember('also written without a bus')
      await expect.poll(() => subscriber.seen.at(-1)).toBe(sequence)
      expect(subscriber.problems()).toEqual([])
    } finally {
      await subscriber.stop()
    }
  })

  test('services that start meanwhile do their work', async () => {
    await Promise.all(
      cluster.services.map(async (one) => {
        await one.kill()
        await one.start()
      }),
    )
    const sequence = await remember('written through a gateway that never saw NATS')
    await expect
      .poll(async () => (await search('never saw', sequence)).sequence)
      .toBeGreaterThanOrEqual(sequence)
  })
})
