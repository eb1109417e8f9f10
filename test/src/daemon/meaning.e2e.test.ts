import { pause } from '@daybook/runtime/backoff'
import { beforeAll, describe, expect, test } from 'vitest'
import { dataOf } from '../support/graphql.ts'
import { useOwnProject } from '../support/shared-daemon.ts'

interface Found {
  search: { hits: { memory: { title: string } }[]; degraded: string[] }
}

/** The real model behind the real daemon: what the first source system set as its own acceptance test. */
describe('finding by meaning', () => {
  const project = useOwnProject()
  beforeAll(async () => {
    const query = `mutation {
      a: remember(input: { content: { stash: { name: "auth-flow", summary: "User authentication implementation with JWT tokens" } } }) { __typename }
      b: remember(input: { content: { insight: { key: "jwt-validation", content: "Always validate JWT expiration before trusting claims" } } }) { __typename }
      c: remember(input: { content: { note: { text: "The cafeteria serves soup on Mondays" } } }) { __typename }
      d: remember(input: { content: { note: { text: "Grandmother's apple cake needs a pinch of cinnamon" } } }) { __typename }
    }`
    dataOf(await project.graphql({ query }))
    while ((await pending()) > 0) await pause(50)
  })

  const pending = async () => {
    const { projections } = dataOf(
      await project.graphql<{ projections: { lag: number; pendingEmbeddings: number }[] }>({
        query: '{ projections { lag pendingEmbeddings } }',
      }),
    )
    return (projections[0]?.lag ?? 1) + (projections[0]?.pendingEmbeddings ?? 1)
  }
  const search = async (query: string, filter = {}) =>
    dataOf(
      await project.graphql<Found>({
        query:
          'query ($q: String!, $f: MemoryFilter) { search(query: $q, filter: $f) { degraded hits { memory { title } } } }',
        variables: { q: query, f: filter },
      }),
    ).search

  test('"login system" finds the stash auth-flow', async () => {
    const { hits, degraded } = await search('login system')
    expect(degraded).toEqual([])
    expect(hits[0]?.memory.title).toBe('auth-flow')
  })

  test('"token security" finds the insight jwt-validation', async () => {
    const { hits } = await search('token security')
    expect(hits.slice(0, 2).map((hit) => hit.memory.title)).toContain('jwt-validation')
    expect((await search('token security', { kinds: ['INSIGHT'] })).hits[0]?.memory.title).toBe(
      'jwt-validation',
    )
  })

  test('other words for the same thing find it too, and pop falls back on them', async () => {
    expect((await search('baking a fruit dessert')).hits[0]?.memory.title).toMatch(/apple cake/)
    const { pop } = dataOf(
      await project.graphql<{ pop: { matchType: string; hits: { memory: { title: string } }[] } }>({
        query: '{ pop(name: "login system") { matchType hits { memory { title } } } }',
      }),
    )
    expect(pop).toEqual({ matchType: 'SEMANTIC', hits: [{ memory: { title: 'auth-flow' } }] })
  })
})
