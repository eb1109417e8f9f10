import type { MemoryFilter } from '@daybook/memory/filter'
import { questionWords } from '@daybook/memory/fold-words'
import { note } from '@daybook/memory/testing/commands'
import { type ReadModelHarness, startReadModelHarness } from '@daybook/pgvector/testing/read-model-harness'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { TEST_DATABASES } from '@daybook/postgres/testing/test-database'
import * as fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseQuery } from '../../query/parse-query.ts'
import { type ReferenceDocument, referenceBm25 } from '../../ranking/reference-bm25.ts'
import type { RetrieverHit } from '../../ranking/retriever.ts'
import { hitCondition } from './constraint.ts'
import { readFew } from './few-satisfying.ts'
import { lexicalRetriever } from './lexical-retriever.ts'

const word = fc.constantFrom(
  'login',
  'logins',
  'token',
  'Running',
  'the',
  'cache',
  'caches',
  'x-ray',
  'été',
  'may',
  '8',
)
const text = fc.array(word, { minLength: 1, maxLength: 15 }).map((words) => words.join(' '))
const context = fc.constantFrom('a', 'b', 'c')
const document = fc.record({ text, context, forgotten: fc.boolean() })

describe.each(TEST_DATABASES)('the lexical retriever on $name', ({ start }) => {
  let harness: ReadModelHarness
  beforeAll(async () => {
    harness = await startReadModelHarness({ start }, { dimension: 8 })
  })
  afterAll(() => harness?.stop())

  function retriever(
    scope: ProjectScope,
    query: string,
    {
      filter = {},
      coverage = false,
      limit = 100,
      few,
    }: { filter?: MemoryFilter; coverage?: boolean; limit?: number; few?: number | undefined } = {},
  ): Promise<RetrieverHit[]> {
    const parsed = parseQuery(query)
    const found = {
      scope,
      readModel: harness.readModel,
      condition: hitCondition(harness.readModel.tables, filter, parsed),
    }
    const input = {
      ...found,
      includeForgotten: filter.includeForgotten === true,
      limit,
      ...(few !== undefined && { few: () => readFew(found, filter, few) }),
    }
    return lexicalRetriever(input, parsed.wanted, coverage)
  }

  /** The lexemes that Postgres made of each live memory, which the reference scores. */
  async function documentsOf({
    projectId,
  }: ProjectScope): Promise<(ReferenceDocument & { context: string })[]> {
    const { rows } = await sql<{
      id: string
      context: string
      length: number
      lexemes: Record<string, number>
    }>`
      select memory_id as id, context, length,
        (select jsonb_object_agg(lexeme, cardinality(positions)) from unnest(lexemes)) as lexemes
      from ${harness.readModel.tables.memories} where project_id = ${projectId} and not forgotten`.execute(
      harness.db,
    )
    return rows.map((row) => ({ ...row, lexemes: new Map(Object.entries(row.lexemes)) }))
  }

  async function lexemesOf(query: string): Promise<Map<string, number>> {
    const { rows } = await sql<{ lexeme: string; times: number }>`
      select lexeme, cardinality(positions) as times from unnest(to_tsvector('english', ${questionWords(query)}))`.execute(
      harness.db,
    )
    return new Map(rows.map((row) => [row.lexeme, row.times]))
  }

  async function remember(
    scope: ProjectScope,
    documents: readonly { text: string; context: string; forgotten: boolean }[],
  ) {
    const memories = await harness.remember(
      scope,
      ...documents.map((one) => note(one.text, { context: one.context, occurredAt: '2023-05-08T00:00:00Z' })),
    )
    const forgotten = memories.filter((_, index) => documents[index]?.forgotten)
    await harness.append(scope, ...forgotten.map(({ state }) => ({ type: 'forget', id: state.id }) as const))
    await harness.apply(scope)
    return memories
  }

  it('scores as the reference does, with the statistics of its own project', async () => {
    const corpora = fc.tuple(
      fc.array(document, { minLength: 1, maxLength: 25 }),
      fc.array(document, { minLength: 0, maxLength: 10 }),
    )
    await fc.assert(
      fc.asyncProperty(
        corpora,
        text,
        fc.boolean(),
        context,
        async ([documents, others], query, coverage, wanted) => {
          const [scope, other] = [await harness.newProject(), await harness.newProject()]
          await remember(scope, documents)
          await remember(other, others)
          for (const project of [scope, other]) {
            const all = await documentsOf(project)
            const reference = all.length === 0 ? [] : referenceBm25(all, await lexemesOf(query), { coverage })
            const found = await retriever(project, query, { coverage })
            expect(differences(found, reference)).toEqual([])
            const within = new Set(all.filter((one) => one.context === wanted).map(({ id }) => id))
            const filtered = await retriever(project, query, { coverage, filter: { context: wanted } })
            expect(
              differences(
                filtered,
                reference.filter(({ id }) => within.has(id)),
              ),
            ).toEqual([])
          }
        },
      ),
      { numRuns: Number(process.env['DAYBOOK_FUZZ_RUNS'] ?? 8) },
    )
  })

  /** What is wrong with a retriever's hits, in words. */
  function differences(
    found: readonly RetrieverHit[],
    reference: readonly { id: string; score: number }[],
  ): string[] {
    const scores = new Map(reference.map(({ id, score }) => [id, score]))
    const ids = new Set(found.map(({ memoryId }) => memoryId))
    return [
      ...reference.filter(({ id }) => !ids.has(id)).map(({ id }) => `${id} is missing`),
      ...found
        .filter(({ memoryId, score }) => !(Math.abs(score - (scores.get(memoryId) ?? -1)) < 1e-9))
        .map(({ memoryId, score }) => `${memoryId} has ${score}, not ${scores.get(memoryId)}`),
      ...found
        .filter(({ score }, index) => score > (found[index - 1]?.score ?? Number.POSITIVE_INFINITY))
        .map(({ memoryId }) => `${memoryId} stands too low`),
    ]
  }

  it('is exact for texts longer than a posting can say, and for words said more often', async () => {
    const scope = await harness.newProject()
    const words = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => `w${from + index}`).join(' ')
    const given = [
      `login ${words(0, 5_000)}`,
      `login ${words(0, 9_000)}`,
      `login ${words(0, 4_094)}`,
      `login ${words(0, 4_092)}`,
      `login token ${words(0, 40)}`,
      'login '.repeat(400),
      `${'login '.repeat(400)} ${words(0, 5_000)}`,
      'token '.repeat(63),
      'token '.repeat(64),
    ]
    await remember(
      scope,
      given.map((one) => ({ text: one, context: 'a', forgotten: false })),
    )
    const all = await documentsOf(scope)
    expect(all.filter(({ length }) => length >= 4_095).length).toBeGreaterThanOrEqual(4)
    expect(Math.max(...all.map(({ lexemes }) => lexemes.get('login') ?? 0))).toBe(255)
    for (const query of ['login', 'token login w7', 'w4500 login login'])
      expect(
        differences(
          await retriever(scope, query, { coverage: true }),
          referenceBm25(all, await lexemesOf(query), { coverage: true }),
        ),
      ).toEqual([])
  })

  describe('looks as far as a filter makes it', () => {
    let scope: ProjectScope
    const idsIn = new Map<string, string[]>()
    beforeAll(async () => {
      scope = await harness.newProject()
      // The more often a text contains it, the better: first the last fifty of 1,200, then ten of another
      // context, then five. The 1,150 before are more than a first look takes, however much it takes.
      const contextOf = (index: number) => (index < 5 ? 'last' : index < 15 ? 'next' : 'common')
      const textOf = (index: number) =>
        index < 5 ? `needle ${'hay '.repeat(30)}` : index < 1_150 ? 'needle needle' : 'needle needle needle'
      const memories = await harness.append(
        scope,
        ...Array.from({ length: 1_200 }, (_, index) => ({
          type: 'remember' as const,
          id: ids(index),
          input: note(textOf(index), { context: contextOf(index) }),
        })),
      )
      await harness.apply(scope)
      for (const wanted of ['next', 'last'])
        idsIn.set(
          wanted,
          memories.flatMap(({ state }) => (state.context === wanted ? [state.id] : [])).toSorted(),
        )
    })

    it.each([
      ['told of it, and few satisfy it', 100],
      ['told of it, and many satisfy it', 1],
      ['not told of it', undefined],
    ])('%s', async (_case, few) => {
      for (const [wanted, theirs] of idsIn) {
        const found = await retriever(scope, 'needle', { filter: { context: wanted }, limit: 10, few })
        expect(found.map(({ memoryId }) => memoryId).toSorted()).toEqual(theirs)
      }
      expect(await retriever(scope, 'needle', { limit: 10, few })).toHaveLength(10)
    })
  })

  it('finds a long token by all of it, its parts and phrases, and what is in angle brackets', async () => {
    const scope = await harness.newProject()
    const long = `${Array.from({ length: 40 }, (_, index) => `part${index}`).join('_')}@host/file-name.test.ts`
    const [named] = await remember(scope, [
      { text: `see ${long} there`, context: 'a', forgotten: false },
      { text: 'a Map<String, Token> of snake_case_names', context: 'a', forgotten: false },
      { text: 'nothing of it', context: 'a', forgotten: false },
    ])
    for (const query of [
      long,
      'part7',
      '"part7 part8"',
      `"${long}"`,
      'file-name.test.ts',
      'see -"part8 part7"',
    ])
      expect((await retriever(scope, query)).map(({ memoryId }) => memoryId)[0], query).toBe(named?.state.id)
    for (const query of ['String', 'snake_case', 'snake', 'SnakeCase', '"map string token"'])
      expect(await retriever(scope, query), query).toHaveLength(1)
  })

  it('finds forgotten memories only when asked, with the statistics of the live ones', async () => {
    const scope = await harness.newProject()
    const [live, forgotten] = await remember(scope, [
      { text: 'login token', context: 'a', forgotten: false },
      { text: 'login token', context: 'a', forgotten: true },
    ])
    expect((await retriever(scope, 'login')).map(({ memoryId }) => memoryId)).toEqual([live!.state.id])
    const both = await retriever(scope, 'login', { filter: { includeForgotten: true } })
    expect(both.map(({ memoryId }) => memoryId).toSorted()).toEqual(
      [live!.state.id, forgotten!.state.id].toSorted(),
    )
    expect(both[0]?.score).toBeCloseTo(both[1]?.score ?? 0, 12)
    expect(both[0]?.score).toBeCloseTo((await retriever(scope, 'login'))[0]?.score ?? 0, 12)
  })

  describe('with phrases, exclusions and OR', () => {
    let scope: ProjectScope
    const texts = new Map<string, string>()
    beforeAll(async () => {
      scope = await harness.newProject()
      const given = [
        'the red car stopped',
        'a car that is red',
        'a blue car and a red bike',
        'nothing of the kind',
      ]
      const memories = await harness.remember(scope, ...given.map((one) => note(one)))
      for (const [index, { state }] of memories.entries()) texts.set(state.id, given[index]!)
    })

    it.each([
      ['red car', ['the red car stopped', 'a car that is red', 'a blue car and a red bike']],
      ['"red car"', ['the red car stopped']],
      ['"red cars"', ['the red car stopped']],
      ['car -blue', ['the red car stopped', 'a car that is red']],
      ['car -"red car"', ['a car that is red', 'a blue car and a red bike']],
      ['"red car" OR "blue car"', ['the red car stopped', 'a blue car and a red bike']],
      ['stopped OR "red bike"', ['the red car stopped', 'a blue car and a red bike']],
      ['car "the"', ['the red car stopped', 'a car that is red', 'a blue car and a red bike']],
      ['car -the', ['the red car stopped', 'a car that is red', 'a blue car and a red bike']],
      ['the of', []],
      ['unheard', []],
    ])('%s', async (query, expected) => {
      const found = await retriever(scope, query)
      expect(found.map(({ memoryId }) => texts.get(memoryId)).toSorted()).toEqual(expected.toSorted())
    })
  })
})

/** UUIDs that do not sort like the scores. */
const ids = (index: number) =>
  `018f0000-0000-7000-8000-${((index * 7_919) % 1_000_003).toString(16).padStart(12, '0')}`
