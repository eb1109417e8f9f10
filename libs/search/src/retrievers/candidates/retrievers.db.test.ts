import { requeueTexts } from '@daybook/embeddings/store'
import type { MemoryFilter } from '@daybook/memory/filter'
import { note } from '@daybook/memory/testing/commands'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { TEST_DATABASES } from '@daybook/postgres/testing/test-database'
import { CANDIDATES_MAX, type CandidateSource } from '@daybook/projection/engine/search-engine'
import * as fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseQuery } from '../../query/parse-query.ts'
import { ENGINES, type EngineHarness, startEngineHarness } from '../../testing/search-engines-harness.ts'
import { hitCondition } from '../postgres/constraint.ts'
import { lexicalRetriever } from '../postgres/lexical-retriever.ts'
import { vectorRetriever } from '../postgres/vector-retriever.ts'
import type { RetrieverInput } from '../query-terms.ts'
import { candidateLexicalRetriever } from './lexical-retriever.ts'
import { candidateVectorRetriever } from './vector-retriever.ts'

const DATABASE = TEST_DATABASES.at(-1)

/* Compares every engine beside Postgres with what Postgres finds. */
describe.each(ENGINES.filter(({ attach }) => attach !== null))('the retrievers on $name', ({ attach }) => {
  let harness: EngineHarness
  beforeAll(async () => {
    if (DATABASE === undefined) throw new Error('no database')
    harness = await startEngineHarness(DATABASE, { attach }, { dimension: 16 })
  })
  afterAll(() => harness?.stop())

  function sourceOf({ projectId }: ProjectScope, filter: MemoryFilter) {
    const search = harness.attached?.slot.search ?? null
    if (search === null) throw new Error('there is no engine beside Postgres')
    return search.candidates({ projectId, filter }, { generation: 1 })
  }

  function inputs(scope: ProjectScope, text: string, filter: MemoryFilter, limit: number) {
    const { readModel } = harness
    const query = parseQuery(text)
    const condition = hitCondition(readModel.tables, filter, query)
    const input = { scope, readModel, condition, includeForgotten: filter.includeForgotten === true, limit }
    return {
      input,
      source: sourceOf(scope, filter),
      wanted: query.wanted,
    }
  }

  async function words(scope: ProjectScope, text: string, filter: MemoryFilter = {}, limit = 100) {
    const { input, source, wanted } = inputs(scope, text, filter, limit)
    return {
      engine: await candidateLexicalRetriever(input, source, wanted, true),
      postgres: await lexicalRetriever(input, wanted, true),
    }
  }

  const byMeaning = (input: RetrieverInput, source: CandidateSource, vector: Float32Array) =>
    candidateVectorRetriever(input, source, vector, harness.readModel.generation.modelId)

  const close = <Hit extends { readonly score: number }>(hits: readonly Hit[]) =>
    hits.map((hit) => ({ ...hit, score: expect.closeTo(hit.score, 9) }))

  it('score as Postgres does, whatever the texts and questions, typographic signs included', async () => {
    const word = fc.constantFrom(
      ...'login logins token Running the cache caches x-ray été may 8 “login” ‘token’ cache—login it’s «été»'.split(
        ' ',
      ),
      ...'auth-flow foo@bar.com /usr/bin/login 1.5 -5 login… x\u2013ray login\u00a0token a_b_c кот 東京 authentcation zzap'.split(
        ' ',
      ),
    )
    const texts = fc.array(word, { minLength: 1, maxLength: 15 }).map((all) => all.join(' '))
    const filter = fc.constantFrom<MemoryFilter>(
      {},
      { context: 'a' },
      { labelsAny: ['b'] },
      { includeForgotten: true },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ text: texts, context: fc.constantFrom('a', 'b'), forgotten: fc.boolean() }), {
          minLength: 1,
          maxLength: 12,
        }),
        texts,
        filter,
        async (documents, question, given) => {
          const scope = await harness.newProject()
          const memories = await harness.remember(
            scope,
            ...documents.map(({ text, context }) => note(text, { context, labels: [context] })),
          )
          for (const [index, { forgotten }] of documents.entries())
            if (forgotten) await harness.append(scope, { type: 'forget', id: memories[index]!.state.id })
          await harness.apply(scope)
          const { engine, postgres } = await words(scope, question, given)
          expect(engine).toEqual(close(postgres))
        },
      ),
      // Shrinking would outlast the test, and nothing would be reported.
      { numRuns: Number(process.env['DAYBOOK_FUZZ_RUNS'] ?? 10), endOnFailure: true },
    )
  })

  it('asks of more words than a call takes', async () => {
    const scope = await harness.newProject()
    const many = Array.from({ length: 120 }, (_, index) => `word${index}`)
    await harness.remember(scope, note(many.slice(0, 70).join(' ')), note(many.slice(60).join(' ')))
    const { engine, postgres } = await words(scope, many.join(' '))
    expect(postgres).toHaveLength(2)
    expect(engine).toEqual(close(postgres))
  })

  it('finds nothing for stop words, unknown words, and signs', async () => {
    const scope = await harness.newProject()
    await harness.remember(scope, note('The login page'))
    for (const text of ['the of', 'xylophone', '-5', '😀'])
      expect((await words(scope, text)).engine).toEqual([])
  })

  it('forgives a typo in a word that nothing has, and only in such, as Postgres does', async () => {
    const scope = await harness.newProject()
    const [right, near] = await harness.remember(
      scope,
      note('authentication of users'),
      note('the authentications'),
      note('login'),
      note('logic'),
    )
    const misspelt = await words(scope, 'authentcation')
    const meant = [right!.state.id, near!.state.id].toSorted()
    expect(misspelt.engine.map((hit) => hit.memoryId).toSorted()).toEqual(meant)
    expect(misspelt.postgres).toEqual(close(misspelt.engine))
    // "logic" is one letter away from a word that exists.
    expect((await words(scope, 'login')).engine).toHaveLength(1)
    await harness.remember(scope, note('in 2019, version v1234'))
    for (const number of ['2018', 'v1235']) expect((await words(scope, number)).engine).toEqual([])
    const both = (await words(scope, 'authentcation login')).engine
    expect(both).toHaveLength(3)
  })

  it('goes to Postgres where the check leaves too little of what was cut off', async () => {
    const scope = await harness.newProject()
    const wanted = await harness.remember(scope, note('the red car'))
    // Newer, so that Typesense returns them first.
    await harness.remember(
      scope,
      ...Array.from({ length: 20 }, (_, index) => note(`car number ${index} is red`)),
    )
    const { engine, postgres } = await words(scope, '"red car"', {}, 5)
    expect(postgres.map((hit) => hit.memoryId)).toEqual([wanted[0]!.state.id])
    expect(engine).toEqual(close(postgres))
  })

  it('lists as many memories of a word as are wanted, however many have it', async () => {
    const scope = await harness.newProject()
    const many = Array.from({ length: 121 }, (_, index) => note(`car number ${index}`))
    const ids = new Set((await harness.remember(scope, ...many)).map(({ state }) => state.id))
    const { source } = inputs(scope, 'car', {}, 5)
    const [car, none] = await source.words(['car', 'boat'], 5)
    expect(car).toMatchObject({ documentFrequency: 121, isKnown: true })
    expect(new Set(car?.memoryIds).size).toBeGreaterThanOrEqual(5)
    expect(car?.memoryIds.filter((id) => !ids.has(id))).toEqual([])
    expect(none).toEqual({ documentFrequency: 0, isKnown: false, memoryIds: [], isCutOff: false })
  })

  it('finds by meaning what Postgres finds, a long text by its nearest part', async () => {
    const scope = await harness.newProject()
    const filler = Array.from({ length: 300 }, (_, index) => `filler${index % 40}`).join(' ')
    await harness.remember(
      scope,
      note(`${filler} observatory hill telescope`, { context: 'a' }),
      note('login page', { context: 'a' }),
      note('observatory', { context: 'b' }),
    )
    const { vector } = await harness.embedder.embedQuery('observatory hill telescope')
    for (const filter of [{}, { context: 'a' }, { includeForgotten: true }]) {
      const { input, source } = inputs(scope, 'x', filter, 100)
      const postgres = await vectorRetriever(input, vector!)
      const engine = await byMeaning(input, source, vector!)
      expect(postgres.length).toBeGreaterThan(1)
      expect(engine).toEqual(postgres.map((hit) => ({ ...hit, score: expect.closeTo(hit.score, 9) })))
    }
  })

  it('gives no score of a text that was revised away, however far the engine is behind', async () => {
    const scope = await harness.newProject()
    const [memory] = await harness.remember(scope, note('login page'), note('green bicycle'))
    const { id } = memory!.state
    const { vector } = await harness.embedder.embedQuery('login page')
    const { input, source } = inputs(scope, 'x', {}, 100)
    const found = async () => (await byMeaning(input, source, vector!)).find((hit) => hit.memoryId === id)
    const before = await found()
    const fields = { text: 'login page of the green bicycle' }
    await harness.append(scope, { type: 'revise', id, input: { content: { kind: 'note', fields } } })
    await harness.applyToReadModel(scope)
    expect(await found()).toBeUndefined()
    // The engine has not applied the revision, so its documents wait for no vector.
    await harness.embed()
    const after = await found()
    const wanted = (await vectorRetriever(input, vector!)).find((hit) => hit.memoryId === id)
    expect(after).toEqual({ ...wanted, score: expect.closeTo(wanted!.score, 9) })
    expect(after!.score).toBeLessThan(before!.score)
    expect(after!.contentHash).not.toBe(before!.contentHash)
  })

  it('finds by the vectors of before while they are computed again', async () => {
    const scope = await harness.newProject()
    await harness.remember(scope, note('login page'), note('green bicycle'))
    const { vector } = await harness.embedder.embedQuery('login page')
    const { input, source } = inputs(scope, 'x', {}, 100)
    const before = await byMeaning(input, source, vector!)
    const { modelId } = harness.readModel.generation
    const texts = before.map(({ contentHash }) => ({
      hash: Buffer.from(contentHash!, 'hex'),
      text: 'queued',
    }))
    await scope.db
      .transaction()
      .execute((trx) =>
        requeueTexts(trx, { projectId: scope.projectId, modelId }, texts, '2999-01-01T00:00:00Z'),
      )
    expect(before).toHaveLength(2)
    expect(await byMeaning(input, source, vector!)).toEqual(before)
  })

  it('compares vectors of the engine’s model', async () => {
    const scope = await harness.newProject()
    const [kept] = await harness.remember(scope, note('login page'), note('green bicycle'))
    const { vector } = await harness.embedder.embedQuery('login page')
    const { input, source } = inputs(scope, 'x', {}, 100)
    const [first] = await byMeaning(input, source, vector!)
    expect(first!.memoryId).toBe(kept!.state.id)
    const another = `another-${scope.projectId}`
    const ofFirst = sql`project_id = ${scope.projectId} and content_hash = decode(${first!.contentHash}, 'hex')`
    await sql`
      insert into embeddings (project_id, model_id, content_hash, embedded_at)
      select project_id, ${another}, content_hash, embedded_at from embeddings where ${ofFirst}`.execute(
      scope.db,
    )
    await sql`
      insert into embedding_chunks (project_id, model_id, content_hash, chunk, span_start, span_end, embedding)
      select project_id, ${another}, content_hash, chunk, 3, span_end, embedding from embedding_chunks
      where ${ofFirst}`.execute(scope.db)
    expect(await candidateVectorRetriever(input, source, vector!, another)).toEqual([
      { ...first, spanStart: 3 },
    ])
  })

  it('goes to Postgres for meaning, too, where the check leaves too little of what was cut off', async () => {
    const scope = await harness.newProject()
    const [far] = await harness.remember(
      scope,
      note('green bicycle'),
      ...Array.from({ length: CANDIDATES_MAX }, () => note('login page')),
    )
    const { vector } = await harness.embedder.embedQuery('login page')
    const { input, source } = inputs(scope, '"green bicycle"', {}, 100)
    const hits = await byMeaning(input, source, vector!)
    expect(hits.map((hit) => hit.memoryId)).toEqual([far!.state.id])
  })
})
