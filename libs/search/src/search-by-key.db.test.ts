import { fixedEmbedders } from '@daybook/embeddings/embedders'
import type { RememberInput } from '@daybook/memory/commands'
import { appendExpired } from '@daybook/pgvector/testing/append-expired'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { POP, RECALL, searchByKey } from './search-by-key.ts'
import { COMBINATIONS, type EngineHarness, startEngineHarness } from './testing/search-engines-harness.ts'

const insight = (key: string | null, content: string, more: Partial<RememberInput> = {}): RememberInput => ({
  content: { kind: 'insight', fields: { key, content } },
  ...more,
})
const stash = (name: string, summary: string): RememberInput => ({
  content: { kind: 'stash', fields: { name, summary } },
})

describe.each(COMBINATIONS)('search by key on $name with $database', ({ start, attach }) => {
  let harness: EngineHarness
  let scope: ProjectScope
  beforeAll(async () => {
    harness = await startEngineHarness({ start }, { attach })
    scope = await harness.newProject()
    await harness.remember(
      scope,
      insight('auth-flow', 'User authentication with JWT tokens'),
      insight('build', 'The build takes four minutes'),
      insight('auth-flow', 'Sessions end after a day', { onExisting: 'KEEP_BOTH' }),
      insight(null, 'Nobody knows the key of this'),
      stash('refactor', 'Half of the parser is moved'),
    )
    await appendExpired(scope, { kind: 'insight', content: { key: 'gone', content: 'It has expired' } })
    await harness.apply(scope)
  })
  afterAll(() => harness?.stop())

  const recall = (key: string, limit = 10, where = scope) =>
    searchByKey(harness.parts(where), RECALL, key, limit)
  const pop = (name: string) => searchByKey(harness.parts(scope), POP, name, 10)

  it('gives what has exactly the key, newest first', async () => {
    const answer = await recall('auth-flow')
    expect(answer).toMatchObject({ matchType: 'EXACT', message: null, degraded: [], sequence: 6 })
    expect(answer.hits.map(({ memory }) => memory.sequence)).toEqual([3, 1])
    expect(answer.hits[0]).toMatchObject({
      score: 1,
      matchType: 'EXACT',
      snippet: expect.stringContaining('<mark>'),
      explanation: { ownScore: 1, scale: 1, score: 1, retrievers: [] },
    })
    expect((await recall('auth-flow', 1)).hits).toHaveLength(1)
  })

  it('else what shares words with it, of its kind only', async () => {
    const answer = await recall('authentication tokens')
    expect(answer).toMatchObject({ matchType: 'SEMANTIC', message: null })
    expect(answer.hits[0]?.memory.sequence).toBe(1)
    expect((await recall('parser')).hits).toEqual([])
    expect((await pop('parser moved')).hits[0]?.memory.sequence).toBe(5)
  })

  it('else nothing, with a hint that names the keys written last, each once', async () => {
    const answer = await recall('zebra')
    expect(answer).toMatchObject({ hits: [], matchType: null, sequence: 6 })
    expect(answer.message).toBe('No insights match "zebra". Recent keys: auth-flow, build')
    expect((await pop('zebra')).message).toBe('No stashes match "zebra". Recent names: refactor')
    expect((await recall('zebra', 10, await harness.newProject())).message).toBe(
      'No insights match "zebra". There are no insights with a key yet.',
    )
  })

  it('does not take a key for a query', async () => {
    for (const key of ['---', '🎉', '"', '-build', 'x'.repeat(5_000)]) {
      const answer = await recall(key)
      expect(answer).toMatchObject({ hits: [], matchType: null })
      expect(answer.message).toContain('Recent keys')
    }
    await harness.remember(scope, insight('"odd" -key OR', 'A key that looks like a query'))
    expect(await recall('"odd" -key OR')).toMatchObject({ matchType: 'EXACT' })
  })

  it('goes by words and says so without an embedder', async () => {
    const parts = { scope, readModel: harness.readModel, embedders: fixedEmbedders([], harness.embedder) }
    const answer = await searchByKey(parts, RECALL, 'authentication', 10)
    expect(answer).toMatchObject({ matchType: 'KEYWORD', degraded: [expect.stringContaining('no embedder')] })
    expect(await searchByKey(parts, RECALL, 'zebra', 10)).toMatchObject({
      hits: [],
      degraded: [expect.any(String)],
    })
  })

  it('refuses a blank key, a NUL and a limit out of range', async () => {
    for (const key of ['', '  ', 'a\u0000b', '\uD800'])
      await expect(recall(key)).rejects.toMatchObject({ code: 'VALIDATION', field: 'key' })
    await expect(recall('build', 0)).rejects.toMatchObject({ field: 'limit' })
  })
})
