import { EmbedderError } from '@daybook/embeddings/embedder'
import { fixedEmbedders } from '@daybook/embeddings/embedders'
import { createHashEmbedder } from '@daybook/embeddings/hash-embedder'
import type { Memory } from '@daybook/memory/state'
import { note, rememberCommand } from '@daybook/memory/testing/commands'
import { appendExpired } from '@daybook/pgvector/testing/append-expired'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RankingTerm } from './ranking/ablation.ts'
import { search } from './search.ts'
import type { SearchParts } from './search-parts.ts'
import type { SearchAnswer, SearchHit, SearchRequest } from './search-request.ts'
import { COMBINATIONS, type EngineHarness, startEngineHarness } from './testing/search-engines-harness.ts'

const NOTES = [
  'The login page checks the token of the session',
  'Tokens are signed with a key that rotates every week',
  'A red car stopped at the light',
  'The cache is cleared at night',
]

describe.each(COMBINATIONS)('search on $name with $database', ({ start, attach, engine }) => {
  let harness: EngineHarness
  let scope: ProjectScope
  let memories: Memory[]
  beforeAll(async () => {
    harness = await startEngineHarness({ start }, { attach })
    scope = await harness.newProject()
    memories = await harness.remember(
      scope,
      ...NOTES.map((text, index) =>
        note(text, { context: index < 2 ? 'auth' : null, labels: [`n${index}`] }),
      ),
    )
  })
  afterAll(() => harness?.stop())

  const find = (request: Partial<SearchRequest>, parts: Partial<SearchParts> = {}): Promise<SearchAnswer> =>
    search(
      { ...harness.parts(scope), ...parts },
      { query: 'login token', filter: {}, mode: 'HYBRID', limit: 10, ...request },
    )
  const texts = ({ hits }: SearchAnswer) =>
    hits.map(({ memory }) => (memory.state.content as { text: string }).text)

  it('finds by words and by meaning together', async () => {
    const answer = await find({})
    expect(answer).toMatchObject({ engine, matchType: 'HYBRID', degraded: [], message: null, sequence: 4 })
    expect(texts(answer)[0]).toBe(NOTES[0])
    expect(answer.hits).toHaveLength(4)
    expect(answer.hits[0]).toMatchObject({
      matchType: 'HYBRID',
      snippet: 'The <mark>login</mark> page checks the <mark>token</mark> of the session',
      explanation: { generation: 1, modelId: 'test-hash/64' },
      memory: { version: 1, sequence: 1 },
    })
  })

  it('by words alone gives only what shares a word', async () => {
    const answer = await find({ mode: 'KEYWORD' })
    expect(answer).toMatchObject({ matchType: 'KEYWORD', degraded: [] })
    expect(texts(answer).toSorted()).toEqual([NOTES[0], NOTES[1]])
    for (const hit of answer.hits)
      expect(hit).toMatchObject({ matchType: 'KEYWORD', explanation: { modelId: null } })
  })

  it('by meaning alone asks the vectors only', async () => {
    const answer = await find({ mode: 'SEMANTIC', query: NOTES[2]! })
    expect(answer).toMatchObject({ matchType: 'SEMANTIC', degraded: [] })
    expect(texts(answer)[0]).toBe(NOTES[2])
    expect(
      answer.hits.flatMap(({ explanation }) => explanation.retrievers.map(({ retriever }) => retriever)),
    ).not.toContain('lexical')
  })

  it.each([
    ['HYBRID', 'DEFAULT'],
    ['SEMANTIC', 'DEFAULT'],
    ['KEYWORD', 'DEFAULT'],
    ['HYBRID', 'RRF'],
    ['KEYWORD', 'RRF'],
  ] as const)('explanations of %s by %s add up', async (mode, method) => {
    for (const hit of (await find({ mode, ranking: { method } })).hits) {
      expect(hit.explanation.method).toBe(method)
      const { retrievers, neighbours, missingNeighbours, session, ownScore, scale, score } = hit.explanation
      const total = (parts: readonly { contribution: number }[]) =>
        parts.reduce((sum, { contribution }) => sum + contribution, 0)
      expect(total(retrievers)).toBeCloseTo(ownScore, 9)
      const context = total(neighbours) + missingNeighbours + (session?.contribution ?? 0)
      expect(scale * (ownScore + context)).toBeCloseTo(score, 9)
      expect(score).toBe(hit.score)
    }
  })

  it('respects the limit, and refuses one out of range', async () => {
    expect((await find({ limit: 1 })).hits).toHaveLength(1)
    for (const limit of [0, 101, 1.5, -1, Number.NaN])
      await expect(find({ limit })).rejects.toMatchObject({ code: 'VALIDATION', field: 'limit' })
    expect((await find({ limit: 100 })).hits).toHaveLength(4)
  })

  it('refuses a query without anything to look for, or too long', async () => {
    for (const query of ['', '  ', '-login', '"" --', 'x'.repeat(4_097)])
      await expect(find({ query })).rejects.toMatchObject({ code: 'VALIDATION', field: 'query' })
    expect((await find({ query: 'x'.repeat(4_096) })).hits).not.toHaveLength(0)
  })

  it('leaves out the terms of the ranking that an evaluation names', async () => {
    const names = await harness.newProject()
    await harness.remember(
      names,
      note('Ben: I think that Ann planted the beans in the garden', { context: 'garden' }),
      note('Ann: planted the beans at last', { context: 'garden' }),
      note('The garden is far away', { context: 'elsewhere' }),
    )
    const without = async (...terms: RankingTerm[]) =>
      (
        await find(
          { query: 'Where has Ann planted beans in the garden?' },
          { ...harness.parts(names), without: () => new Set(terms) },
        )
      ).hits
    const speakers = (hits: readonly SearchHit[]) => hits.map(({ explanation }) => explanation.scale)
    const whole = await without()
    expect(new Set(speakers(whole)).size).toBe(2)
    expect(new Set(speakers(await without('speaker'))).size).toBe(1)

    const parts = (hits: readonly SearchHit[]) =>
      hits.map(({ explanation: { neighbours, session } }) => [neighbours.length > 0, session?.contribution])
    expect(parts(whole)).not.toEqual(parts(await without('neighbours')))
    expect(
      (await without('neighbours')).every(({ explanation }) => explanation.neighbours.length === 0),
    ).toBe(true)
    expect((await without('session')).map(({ explanation }) => explanation.session?.contribution)).toEqual([
      0, 0, 0,
    ])

    const weights = (hits: readonly SearchHit[]) =>
      Object.fromEntries(
        hits.flatMap(({ explanation }) =>
          explanation.retrievers.map(({ retriever, weight }) => [retriever, weight]),
        ),
      )
    expect(weights(await without('lexical'))).toEqual({ lexical: 0, vector: 1 })
    expect(weights(await without('vector'))).toEqual({ lexical: 1, vector: 0 })

    const partly = (hits: readonly SearchHit[]) =>
      hits
        .find(({ memory }) => memory.state.context === 'elsewhere')
        ?.explanation.retrievers.find(({ retriever }) => retriever === 'lexical')?.rawScore ?? Number.NaN
    // The third note has one word of five, so coverage lowers its BM25.
    expect(partly(await without('coverage'))).toBeGreaterThan(partly(whole))
  })

  it('says so where nothing is found', async () => {
    expect(await find({ mode: 'KEYWORD', query: 'unheard' })).toMatchObject({
      hits: [],
      matchType: null,
      message: expect.stringContaining('unheard'),
    })
    expect((await find({ mode: 'KEYWORD', query: 'the of' })).hits).toEqual([])
    const empty = await harness.newProject()
    expect(await find({}, { scope: empty })).toMatchObject({ hits: [], sequence: 0 })
  })

  it('applies filters, phrases and exclusions to what the vectors find', async () => {
    expect(texts(await find({ filter: { labelsAny: ['n2'] } }))).toEqual([NOTES[2]])
    expect(texts(await find({ query: '"red car" login' }))).toEqual([NOTES[2]])
    expect(texts(await find({ query: 'login token -cache -red' })).toSorted()).toEqual([NOTES[0], NOTES[1]])
    expect((await find({ filter: { context: 'nowhere' } })).hits).toEqual([])
  })

  it('demands no more than eight phrases and exclusions of a query, takes the others as words, and says so', async () => {
    const others = Array.from(
      { length: 453 },
      (_, at) => `-quo${String.fromCharCode(97 + (at % 26), 97 + Math.floor(at / 26))}`,
    )
    const answer = await find({ query: `"token" ${others.join(' ')} -car`, mode: 'KEYWORD' })
    expect(answer.degraded).toEqual([expect.stringMatching(/at most 8 .*: 447 more count as words/u)])
    expect(texts(answer)).toEqual([NOTES[0], NOTES[1]])
  })

  it('without an embedder goes by words and says so', async () => {
    for (const mode of ['HYBRID', 'SEMANTIC'] as const) {
      const answer = await find({ mode }, { embedders: fixedEmbedders([], harness.embedder) })
      expect(answer).toMatchObject({
        matchType: 'KEYWORD',
        degraded: [expect.stringContaining('no embedder')],
      })
      expect(texts(answer).toSorted()).toEqual([NOTES[0], NOTES[1]])
    }
  })

  it('with an embedder that fails goes by words and says why', async () => {
    const embedder = createHashEmbedder({
      dimension: 64,
      beforeEmbed: async () => {
        throw new EmbedderError('WORKER_CRASHED', 'the worker is gone')
      },
    })
    const answer = await find({}, { embedders: fixedEmbedders([embedder]) })
    expect(answer).toMatchObject({
      matchType: 'KEYWORD',
      degraded: [expect.stringContaining('the worker is gone')],
    })
    expect(answer.hits).toEqual((await find({ mode: 'KEYWORD' })).hits)
  })

  it('does not compare vectors of different models', async () => {
    const embedder = createHashEmbedder({ dimension: 32 })
    const { matchType, degraded } = await find({}, { embedders: fixedEmbedders([embedder]) })
    expect(matchType).toBe('KEYWORD')
    expect(degraded.join()).toMatch(/no embedder.*test-hash\/64/u)
  })

  it('says how many vectors are still missing, where they would matter', async () => {
    const late = await harness.newProject()
    await harness.append(late, rememberCommand(note('one')), rememberCommand(note('login two')))
    await harness.apply(late)
    const answer = await find({}, { scope: late })
    expect(answer.degraded).toEqual([expect.stringMatching(/^2 memories have no vector yet/u)])
    expect(texts(answer)).toEqual(['login two'])
    expect((await find({ mode: 'KEYWORD' }, { scope: late })).degraded).toEqual([])
    await harness.embed()
    expect((await find({}, { scope: late })).degraded).toEqual([])
  })

  it('says how much of the journal is not indexed yet, once that is more than a batch', async () => {
    const behind = await harness.newProject()
    const notes = Array.from({ length: 101 }, (_, index) => rememberCommand(note(`login ${index}`)))
    await harness.append(behind, ...notes.slice(1))
    expect((await find({ mode: 'KEYWORD' }, { scope: behind })).degraded).toEqual([])
    await harness.append(behind, ...notes.slice(0, 1))
    expect((await find({ mode: 'KEYWORD' }, { scope: behind })).degraded).toEqual([
      'the index is 101 events behind the journal: what they say is not found yet',
    ])
    await harness.apply(behind)
    expect((await find({ mode: 'KEYWORD' }, { scope: behind })).degraded).toEqual([])
  })

  it.each([
    ['cafe', 'Das Café am Eck'],
    ['CAFÉ', 'the cafe on the corner'],
    ['京都', '東京都に行く'],
    ['茶', '緑茶が好き'],
    ['"東京都"', '東京都に行く'],
    ['🎉', 'we shipped it 🎉'],
    ['łódź AND żółw', 'Żółw z Lodz'],
    ['МОСКВА', 'поездка в Москва'],
  ])('the keyword %s finds %j (capability 10)', async (query, text) => {
    const world = await harness.newProject()
    await harness.remember(world, note(text), note('other words in here'))
    expect(texts(await find({ query, mode: 'KEYWORD' }, { scope: world }))).toEqual([text])
  })

  it('lifts what stands beside a hit, and brings it in', async () => {
    const chat = await harness.newProject()
    const turns = ['Shall we meet?', 'Where is the observatory?', 'On the hill', 'Fine', 'Bye'].map((text) =>
      note(text, { context: 'chat' }),
    )
    await harness.remember(chat, ...turns)
    const words = { scope: chat, embedders: fixedEmbedders([], harness.embedder) }
    const answer = await find({ query: 'observatory' }, words)
    expect(texts(answer)).toEqual(['Where is the observatory?', ...texts(answer).slice(1)])
    expect(texts(answer).slice(1).toSorted()).toEqual(['On the hill', 'Shall we meet?'])
    expect(answer.hits[1]).toMatchObject({
      matchType: 'CONTEXT',
      explanation: { retrievers: [], neighbours: [{ distance: 1 }] },
    })
    const plain = await find({ query: 'observatory', ranking: { neighbourDecay: 0, sessionShare: 0 } }, words)
    expect(texts(plain)).toEqual(['Where is the observatory?'])
  })

  it('has no hit without a word of the query where words are all that counts', async () => {
    const chat = await harness.newProject()
    const turns = ['Shall we meet?', 'Where is the observatory?', 'On the hill']
    await harness.remember(chat, ...turns.map((text) => note(text, { context: 'chat' })))
    const answer = await find({ query: 'observatory OR birdwatching', mode: 'KEYWORD' }, { scope: chat })
    expect(texts(answer)).toEqual(['Where is the observatory?'])
  })

  it('prefers what somebody says whom the question names, and explains it', async () => {
    const chat = await harness.newProject()
    const said = ['Bob: Ann, did you plant beans?', 'Ann: I did plant beans in May']
    await harness.remember(chat, ...said.map((text) => note(text)))
    const ask = (query: string) => find({ mode: 'KEYWORD', query }, { scope: chat })
    expect(texts(await ask('Who did Bob ask whether to plant beans?'))[0]).toBe(said[0])
    const answer = await ask('When did Ann plant beans?')
    expect(texts(answer)[0]).toBe(said[1])
    const [first, second] = answer.hits.map((hit) => hit.explanation.scale)
    expect(second).toBeLessThan(first ?? 0)
  })

  it('leaves out what is far in meaning where asked to, with what only stands beside that', async () => {
    const chat = await harness.newProject()
    await harness.remember(
      chat,
      note('unrelated chatter', { context: 'chat' }),
      note('more chatter', { context: 'chat' }),
      note('login'),
    )
    expect((await find({ query: 'login' }, { scope: chat })).hits).toHaveLength(3)
    expect(texts(await find({ query: 'login', leastCosine: 0.5 }, { scope: chat }))).toEqual(['login'])
    expect(
      texts(await find({ query: 'login', leastCosine: 0.5, mode: 'SEMANTIC' }, { scope: chat })),
    ).toEqual(['login'])
    expect((await find({ query: 'qwertz', leastCosine: 0.5 }, { scope: chat })).hits).toEqual([])
    // One candidate and its neighbour.
    const talk = await harness.newProject()
    await harness.remember(
      talk,
      note('some chatter', { context: 'chat' }),
      note('more chatter', { context: 'chat' }),
    )
    const narrow = { query: 'qwertz', mode: 'SEMANTIC', ranking: { candidatesPerRetriever: 1 } } as const
    expect((await find(narrow, { scope: talk })).hits).toHaveLength(2)
    expect((await find({ ...narrow, leastCosine: 0.5 }, { scope: talk })).hits).toEqual([])
    const near = await find({ ...narrow, query: 'chatter', leastCosine: 0.5 }, { scope: talk })
    expect(near.hits).toHaveLength(2)
  })

  it.each([
    ['what does Ana like to drink', 'Ana likes coffee', 'Ana likes tea'],
    ['when do we deploy', 'We deploy on Fridays', 'We deploy on Mondays'],
    ['database', 'Our database is Postgres', 'Our database is MySQL'],
  ])(
    'of two memories that answer %j about equally well, the newer one stands first',
    async (query, old, now) => {
      const project = await harness.newProject()
      const [may, june] = ['2026-05-01T09:00:00.000Z', '2026-06-01T09:00:00.000Z']
      await harness.remember(
        project,
        note(old, { context: 'team', occurredAt: may }),
        note(now, { context: 'team', occurredAt: june }),
        note(old.replace('Ana', 'Ben').replace('deploy', 'rest'), { context: 'other', occurredAt: may }),
      )
      for (const parts of [
        harness.parts(project),
        { ...harness.parts(project), embedders: fixedEmbedders([], harness.embedder) },
      ])
        for (const mode of ['HYBRID', 'KEYWORD'] as const) {
          const found = texts(await search(parts, { query, filter: {}, mode, limit: 10 }))
          expect(found.indexOf(now), `${mode}: ${found.join(', ')}`).toBeLessThan(found.indexOf(old))
        }
    },
  )

  it('finds what is left to do before a time, whenever it was written', async () => {
    const project = await harness.newProject()
    await harness.remember(project, {
      content: { kind: 'todo', fields: { description: 'Renew the domain' } },
    })
    for (const query of ['things to do before December', 'open todos until Friday', 'todos before 2026']) {
      const answer = await search(harness.parts(project), { query, filter: {}, mode: 'HYBRID', limit: 10 })
      expect(answer, query).toMatchObject({ matchType: 'KIND' })
    }
  })

  it('leaves out expired memories, and forgotten ones unless asked', async () => {
    const own = await harness.newProject()
    const [, forgotten] = await harness.remember(
      own,
      note('login live'),
      note('login forgotten'),
      note('login expires later', { expiresAt: '9000-01-01T00:00:00Z' }),
    )
    await harness.append(own, { type: 'forget', id: forgotten!.state.id })
    await appendExpired(own, { content: { text: 'login expired' } })
    await harness.apply(own)
    const live = ['login expires later', 'login live']
    for (const mode of ['HYBRID', 'SEMANTIC', 'KEYWORD'] as const) {
      expect(texts(await find({ mode, query: 'login' }, { scope: own })).toSorted()).toEqual(live)
      const all = await find({ mode, query: 'login', filter: { includeForgotten: true } }, { scope: own })
      expect(texts(all).toSorted()).toEqual(['login expires later', 'login forgotten', 'login live'])
    }
  })

  it('shows the passage of a long text that came nearest in meaning', async () => {
    const own = await harness.newProject()
    const filler = Array.from({ length: 600 }, (_, index) => `filler${index % 40}`).join(' ')
    await harness.remember(own, note(`${filler} observatory hill telescope`))
    const { hits } = await find({ mode: 'SEMANTIC', query: 'observatory hill telescope' }, { scope: own })
    expect(hits[0]?.snippet).toContain('<mark>observatory</mark>')
  })

  it('never shows another project', async () => {
    const other = await harness.newProject()
    await harness.remember(other, note('login token secret of another project'))
    for (const mode of ['HYBRID', 'SEMANTIC', 'KEYWORD'] as const) {
      const found = (await find({ mode, limit: 100, query: 'login token secret of another project' })).hits
      const own = new Set(memories.map(({ state }) => state.id))
      expect(found.every(({ memory }) => own.has(memory.state.id))).toBe(true)
    }
  })
})
