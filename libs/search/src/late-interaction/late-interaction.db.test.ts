import { fixedEmbedders } from '@daybook/embeddings/embedders'
import { createHashEmbedder } from '@daybook/embeddings/hash-embedder'
import { note, rememberCommand } from '@daybook/memory/testing/commands'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RankingTerm } from '../ranking/ablation.ts'
import { PROMISING } from '../ranking/late/rank-late.ts'
import { search } from '../search.ts'
import type { SearchParts } from '../search-parts.ts'
import type { SearchAnswer, SearchRequest } from '../search-request.ts'
import { COMBINATIONS, type EngineHarness, startEngineHarness } from '../testing/search-engines-harness.ts'
import { createTokenBitsCache } from './token-bits-cache.ts'

describe.each(COMBINATIONS)('late interaction on $name with $database', ({ start, attach, engine }) => {
  let harness: EngineHarness
  beforeAll(async () => {
    harness = await startEngineHarness({ start }, { attach }, { tokenBits: true })
  })
  afterAll(() => harness?.stop())

  const find = (
    scope: ProjectScope,
    query: string,
    request: Partial<SearchRequest> = {},
    parts: Partial<SearchParts> = {},
  ): Promise<SearchAnswer> =>
    search(
      { ...harness.parts(scope), ...parts },
      { query, filter: {}, mode: 'HYBRID', limit: 10, ...request },
    )
  const texts = ({ hits }: SearchAnswer) =>
    hits.map(({ memory }) => (memory.state.content as { text: string }).text)
  const valuesOf = (hit: SearchAnswer['hits'][number] | undefined) =>
    Object.fromEntries(hit?.explanation.terms.map(({ name, value }) => [name, value]) ?? [])

  it('scores by terms that add up to the log-odds of the score', async () => {
    const scope = await harness.newProject()
    await harness.remember(scope, note('the lantern hangs on the pier'), note('a boat is painted green'))
    const answer = await find(scope, 'lantern pier')
    expect(answer).toMatchObject({ engine, matchType: 'HYBRID', degraded: [] })
    expect(texts(answer)[0]).toBe('the lantern hangs on the pier')
    for (const { score, explanation } of answer.hits) {
      const logOdds = explanation.terms.reduce((sum, { contribution }) => sum + contribution, 0)
      expect(score).toBeCloseTo(1 / (1 + Math.exp(-logOdds)), 9)
    }
    // Both words are there, so each of the question's tokens has its equal.
    expect(valuesOf(answer.hits[0]).own).toBeCloseTo(0.5, 1)
    expect(valuesOf(answer.hits[1]).own).toBeLessThan(0.45)
  })

  it('matches a question whose words are spread over neighbours', async () => {
    const scope = await harness.newProject()
    await harness.remember(
      scope,
      note('where does the lantern hang', { context: 'chat' }),
      note('on the pier', { context: 'chat' }),
      note('the pier', { context: 'elsewhere' }),
    )
    const { hits } = await find(scope, 'lantern pier')
    const near = new Map(hits.map((hit) => [hit.memory.sequence, valuesOf(hit).near ?? 0]))
    expect(near.get(2)).toBeGreaterThan(0.9)
    expect(near.get(1)).toBeGreaterThan(0.9)
    expect(near.get(3)).toBeLessThan(0.8)
  })

  it('leaves out what is far in meaning where asked to, and keeps what stands beside what is near', async () => {
    const scope = await harness.newProject()
    await harness.remember(
      scope,
      note('some chatter', { context: 'chat' }),
      note('more chatter', { context: 'chat' }),
    )
    const one = { mode: 'SEMANTIC', leastCosine: 0.5, ranking: { candidatesPerRetriever: 1 } } as const
    expect((await find(scope, 'qwertz', { ...one, leastCosine: 0 })).hits).toHaveLength(2)
    expect((await find(scope, 'qwertz', one)).hits).toEqual([])
    expect((await find(scope, 'some chatter', one)).hits).toHaveLength(2)
  })

  it('weighs words by how rare they are in the project', async () => {
    const scope = await harness.newProject()
    await harness.remember(
      scope,
      ...Array.from({ length: 30 }, (_, number) => note(`harbour entry ${number}`)),
      note('a lantern'),
    )
    const { hits } = await find(scope, 'harbour lantern', { limit: 100 })
    const own = new Map(hits.map((hit) => [hit.memory.sequence, valuesOf(hit).own ?? 0]))
    expect(own.get(31)).toBeGreaterThan((own.get(1) ?? 0) + 0.05)
  })

  it('finds what is not embedded yet by its words, beside what is', async () => {
    const scope = await harness.newProject()
    await harness.remember(scope, note('a green boat'), note('the sea is calm'))
    await harness.append(scope, rememberCommand(note('the lantern on the pier')))
    await harness.apply(scope)
    const answer = await find(scope, 'lantern on the pier')
    expect(answer.degraded).toEqual([expect.stringMatching(/^1 memory has no vector yet/u)])
    expect(texts(answer)[0]).toBe('the lantern on the pier')
    await harness.embed()
    expect(texts(await find(scope, 'lantern on the pier'))[0]).toBe('the lantern on the pier')
  })

  it('shows the sentence of a long text that matches best', async () => {
    const scope = await harness.newProject()
    const filler = (number: number) => `Line ${number} tells of other things that have happened that day. `
    const text = `${filler(1)}${filler(2)}${filler(3)}${filler(4)}The lantern hangs on the pier. ${filler(5)}`
    await harness.remember(scope, note(text))
    const { hits } = await find(scope, 'lantern pier', { mode: 'SEMANTIC' })
    expect(hits[0]?.snippet).toMatch(/^<mark>lantern<\/mark> hangs on the <mark>pier<\/mark>/u)
  })

  it('leaves out what scores less than is asked for', async () => {
    const scope = await harness.newProject()
    await harness.remember(scope, note('the lantern on the pier'), note('a green boat'))
    const scores = (await find(scope, 'lantern pier')).hits.map(({ score }) => score)
    expect(scores).toHaveLength(2)
    const minScore = ((scores[0] ?? 0) + (scores[1] ?? 0)) / 2
    expect(texts(await find(scope, 'lantern pier', { minScore }))).toEqual(['the lantern on the pier'])
    expect(await find(scope, 'lantern pier', { minScore: 1 })).toMatchObject({
      hits: [],
      message: expect.stringContaining('Nothing matches'),
    })
    for (const wrong of [-0.1, 1.1, Number.NaN])
      await expect(find(scope, 'lantern', { minScore: wrong })).rejects.toMatchObject({ field: 'minScore' })
  })

  it('prefers what is of a time that the question names', async () => {
    const scope = await harness.newProject()
    await harness.remember(
      scope,
      note('we met at the pier', { occurredAt: '2024-03-05T10:00:00Z' }),
      note('we met at the pier', { occurredAt: '2024-05-05T10:00:00Z' }),
      note('we met at the pier', { occurredAt: '2024-07-05T10:00:00Z' }),
    )
    const { hits } = await find(scope, 'Whom did we meet at the pier in May 2024?')
    expect(hits[0]?.memory.state.occurredAt).toBe('2024-05-05T10:00:00.000Z')
    expect(hits.map((hit) => valuesOf(hit).time)).toEqual([1, expect.closeTo(0, 3), expect.closeTo(0, 3)])
    const plain = await find(scope, 'Whom did we meet at the pier?')
    expect(plain.hits.map((hit) => valuesOf(hit).time)).toEqual([0, 0, 0])
  })

  it('finds the same with token bits that are in memory already, and follows revisions', async () => {
    const scope = await harness.newProject()
    const [pier] = await harness.remember(
      scope,
      note('the lantern hangs on the pier', { context: 'harbour' }),
      note('a green boat', { context: 'harbour' }),
      note('a green boat'),
      note('the sea is calm'),
    )
    const tokenBitsCache = createTokenBitsCache()
    const plain = await find(scope, 'lantern pier')
    const first = await find(scope, 'lantern pier', {}, { tokenBitsCache })
    expect(first).toEqual(plain)
    const kept = tokenBitsCache.of(scope.projectId, harness.embedder.modelId)
    const { rows } = await sql<{ hash: string; bits: Buffer }>`
      select encode(content_hash, 'hex') as hash, token_bits as bits from embeddings
      where project_id = ${scope.projectId}`.execute(scope.db)
    expect(rows).toHaveLength(3)
    for (const { hash, bits } of rows) expect(kept.get(hash)).toEqual(new Uint8Array(bits))
    await sql`update embeddings set token_bits = null where project_id = ${scope.projectId}`.execute(scope.db)
    expect(await find(scope, 'lantern pier', {}, { tokenBitsCache })).toEqual(plain)
    await harness.append(scope, { type: 'revise', id: pier!.state.id, input: note('an empty barn') })
    await harness.apply(scope)
    await harness.embed()
    const revised = await find(scope, 'empty barn', {}, { tokenBitsCache })
    expect(texts(revised)[0]).toBe('an empty barn')
    expect(valuesOf(revised.hits[0]).own).toBeCloseTo(0.5, 1)
  })

  it('asks for the neighbours of the best candidates only, if there are many', async () => {
    const poolWhere = async (weakHaveContexts: boolean) => {
      const scope = await harness.newProject()
      const pairs = Array.from({ length: 100 }, (_, at) => {
        const weak = at >= PROMISING
        const context = weak === weakHaveContexts ? `chat ${at}` : null
        return [
          note(weak ? `a pier ${at}` : `the lantern on the pier ${at}`, { context }),
          note('unlike', { context }),
        ]
      })
      await harness.remember(scope, ...pairs.flat())
      // A real Typesense, which searches vectors approximately, has a few other candidates.
      return valuesOf((await find(scope, 'lantern pier', { engine: 'POSTGRES' })).hits[0]).pool
    }
    expect(await poolWhere(true)).toBeCloseTo(Math.log(100))
    expect(await poolWhere(false)).toBeCloseTo(Math.log(200))
  })

  it('sends nothing early in a transaction, where it could come after the rollback', async () => {
    const scope = await harness.newProject()
    await harness.remember(
      scope,
      note('the lantern', { context: 'harbour' }),
      note('the pier', { context: 'harbour' }),
    )
    const parts = harness.parts(scope)
    const tables = { ...parts.readModel.tables, vectors: sql.table('no_such_table') }
    const statements: string[] = []
    const failed = harness.db.transaction().execute((trx) => {
      const db = trx.withPlugin({
        transformQuery({ node }) {
          statements.push(JSON.stringify(node))
          return node
        },
        transformResult: ({ result }) => Promise.resolve(result),
      })
      const broken = {
        scope: { ...projectScope(trx, scope.projectId), db },
        readModel: { ...parts.readModel, tables },
      }
      return find(scope, 'lantern', { engine: 'POSTGRES' }, broken)
    })
    await expect(failed).rejects.toThrow(/no_such_table/u)
    const sent = (part: string) => statements.filter((statement) => statement.includes(part)).length
    expect(sent(' as before')).toBe(1)
    expect(sent('token_bits')).toBe(0)
  })

  it('prefers who is named, also with an accent or at the beginning of the question', async () => {
    const scope = await harness.newProject()
    await harness.remember(
      scope,
      note('Zoë: the lantern is mine'),
      note('Ann: the lantern is mine'),
      note('When: the lantern is mine'),
      note('Will: the lantern is mine'),
    )
    const spoken = async (query: string) => {
      const { hits } = await find(scope, query)
      return hits.filter((hit) => valuesOf(hit).speaker === 1).map((hit) => hit.memory.sequence)
    }
    expect(await spoken('Whose lantern does Zoë have?')).toEqual([1])
    expect(await spoken('Ann has a lantern?')).toEqual([2])
    expect(await spoken('When did Will have a lantern?')).toEqual([4])
    expect(await spoken('Will it be a lantern?')).toEqual([])
    expect(await spoken('When was it a lantern?')).toEqual([])
    expect(await spoken('whose lantern is it?')).toEqual([])
  })

  it('is left out by weights, by RRF and by mode KEYWORD', async () => {
    const scope = await harness.newProject()
    await harness.remember(scope, note('the lantern on the pier'))
    const terms = async (request: Partial<SearchRequest>) =>
      (await find(scope, 'lantern', request)).hits.flatMap(({ explanation }) => explanation.terms)
    expect(await terms({})).not.toEqual([])
    expect(await terms({ mode: 'SEMANTIC' })).not.toEqual([])
    expect(await terms({ mode: 'KEYWORD' })).toEqual([])
    expect(await terms({ ranking: { method: 'RRF' } })).toEqual([])
    expect(await terms({ ranking: { lateInteraction: false } })).toEqual([])
  })

  it('leaves out the terms that an evaluation names', async () => {
    const scope = await harness.newProject()
    await harness.remember(scope, note('the lantern on the pier'), note('a green boat'))
    const weights = async (...without: RankingTerm[]) => {
      const { hits } = await find(scope, 'lantern', {}, { without: () => new Set(without) })
      return new Map(hits[0]?.explanation.terms.map(({ name, weight }) => [name, weight]))
    }
    const [whole, without] = [await weights(), await weights('own', 'lexical')]
    expect([without.get('own'), without.get('words')]).toEqual([0, 0])
    for (const name of ['base', 'near', 'session', 'vector', 'speaker', 'length'] as const)
      expect(without.get(name)).toBe(whole.get(name))
    expect(whole.get('own')).toBeGreaterThan(0)
  })

  it('answers a question that has no token', async () => {
    const scope = await harness.newProject()
    await harness.remember(scope, note('the lantern on the pier'))
    expect((await find(scope, '🎉')).hits.flatMap(({ explanation }) => explanation.terms)).toEqual([])
  })

  it('tells how to get token bits where only the index lacks them', async () => {
    const old = await startEngineHarness({ start }, { attach })
    try {
      const scope = await old.newProject()
      await old.remember(scope, note('the lantern on the pier'))
      const preferred = createHashEmbedder({ dimension: 64, tokenBits: true })
      const answer = await search(
        { ...old.parts(scope), embedders: fixedEmbedders([old.embedder], preferred) },
        { query: 'lantern', filter: {}, mode: 'HYBRID', limit: 10 },
      )
      expect(answer.degraded).toEqual([
        expect.stringMatching(/no token bits.*daybook reindex [a-z-]+ --model test-hash\/64\/token-bits-1/u),
      ])
      expect(answer.hits).toHaveLength(1)
    } finally {
      await old.stop()
    }
  })
})
