import { DEFAULT_MODEL } from '@daybook/embeddings/models'
import type { MemoryFilter } from '@daybook/memory/filter'
import { note } from '@daybook/memory/testing/commands'
import { vectorIndex } from '@daybook/pgvector/generation-tables'
import { type ReadModelHarness, startReadModelHarness } from '@daybook/pgvector/testing/read-model-harness'
import { compareMemories } from '@daybook/pgvector/verify/compare-memories'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import { TEST_DATABASES } from '@daybook/postgres/testing/test-database'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseQuery } from '../../query/parse-query.ts'
import type { RetrieverInput } from '../query-terms.ts'
import { hitCondition } from './constraint.ts'
import { readFew } from './few-satisfying.ts'
import { type VectorHit, vectorRetriever } from './vector-retriever.ts'

const numbersOnly =
  (few: NonNullable<RetrieverInput['few']>): NonNullable<RetrieverInput['few']> =>
  async () => {
    const read = await few()
    return read === null ? null : { ...read, ids: null }
  }

/** As what is found without reading the memories' rows. */
const withoutHashes = (hits: readonly VectorHit[]) =>
  hits.map(({ contentHash, ...hit }) => {
    expect(contentHash).toMatch(/^[0-9a-f]{64}$/u)
    return hit
  })

/** Never fewer memories than this, so the index is used. */
const BY_INDEX = 0

/** Each kind of index, and how many of the nearest 50 of 1,500 random vectors it finds at least. */
const INDEXES = [
  { indexed: 'vectors', dimension: 16, least: 40 },
  { indexed: 'signs', dimension: 64, modelId: DEFAULT_MODEL.modelId, tokenBits: true, least: 30 },
] as const

const COMBINATIONS = TEST_DATABASES.flatMap((database) => INDEXES.map((index) => ({ ...database, ...index })))

describe.each(COMBINATIONS)(
  'the vector retriever on $name with an index of $indexed',
  ({ start, ...given }) => {
    const { indexed, dimension, least } = given
    let harness: ReadModelHarness
    beforeAll(async () => {
      harness = await startReadModelHarness({ start }, given)
    })
    afterAll(() => harness?.stop())

    async function retriever(
      scope: ProjectScope,
      query: string,
      {
        filter = {},
        limit = 10,
        needed = limit,
        narrowed = false,
        byNumber = false,
        exactBelow,
        vector,
      }: {
        filter?: MemoryFilter
        limit?: number
        needed?: number
        narrowed?: boolean
        /** As if the filter left too many to be looked up by their ids. */
        byNumber?: boolean
        exactBelow?: number
        /** Default: the query's. */
        vector?: Float32Array
      } = {},
    ) {
      const asked = vector ?? (await harness.embedder.embedQuery(query)).vector
      const found = {
        scope,
        readModel: harness.readModel,
        condition: hitCondition(harness.readModel.tables, filter, parseQuery(query)),
      }
      const input = {
        ...found,
        includeForgotten: filter.includeForgotten === true,
        limit,
        needed,
        ...(narrowed && {
          few: byNumber ? numbersOnly(() => readFew(found, filter)) : () => readFew(found, filter),
        }),
      }
      return vectorRetriever(input, asked, exactBelow)
    }

    /** The same project, and a function that gives the statements since its last call that ask the index. */
    function record(scope: ProjectScope) {
      const statements: string[] = []
      const db = scope.db.withPlugin({
        transformQuery({ node }) {
          statements.push(JSON.stringify(node))
          return node
        },
        transformResult: ({ result }) => Promise.resolve(result),
      })
      const byIndex = () => statements.splice(0).filter((text) => text.includes('cross join lateral'))
      return { recorded: { ...scope, db }, byIndex }
    }

    it('gives cosines, the nearest first', async () => {
      const scope = await harness.newProject()
      const [same, half] = await harness.remember(
        scope,
        note('alpha beta'),
        note('alpha gamma'),
        note('delta epsilon'),
      )
      const hits = await retriever(scope, 'alpha beta')
      expect(hits).toHaveLength(3)
      expect(hits[0]).toMatchObject({ memoryId: same!.state.id, score: expect.closeTo(1, 6) })
      expect(hits[1]).toMatchObject({ memoryId: half!.state.id, score: expect.closeTo(0.5, 6) })
    })

    it('counts the best chunk of a long text, and says which', async () => {
      const scope = await harness.newProject()
      const filler = Array.from({ length: 600 }, (_, index) => `filler${index % 50}`).join(' ')
      const [long] = await harness.remember(
        scope,
        note(`${filler} needle needle needle`),
        note('something else'),
      )
      for (const exactBelow of [undefined, BY_INDEX]) {
        const hits = await retriever(scope, 'needle', exactBelow === undefined ? {} : { exactBelow })
        expect(hits.map(({ memoryId }) => memoryId)).toEqual([
          ...new Set(hits.map(({ memoryId }) => memoryId)),
        ])
        expect(hits[0]?.memoryId).toBe(long!.state.id)
        const [first] = hits
        expect(`${filler} needle needle needle`.slice(first!.spanStart, first!.spanEnd)).toContain('needle')
      }
    })

    it('gives memories their hits where long texts have more near chunks than the index is asked for', async () => {
      const scope = await harness.newProject()
      const long = Array.from({ length: 6_000 }, () => 'needle').join(' ')
      await harness.remember(scope, note(long), note('needle one'), note('needle two'), note('needle three'))
      for (const exactBelow of [undefined, BY_INDEX])
        expect(
          await retriever(scope, 'needle', { limit: 4, ...(exactBelow === undefined ? {} : { exactBelow }) }),
        ).toHaveLength(4)
    })

    it('stops a tenth short of what is wanted only where the answer needs no more', async () => {
      const scope = await harness.newProject()
      // Two chunks of one text are nearest: ten chunks belong to nine memories.
      const long = Array.from({ length: 300 }, () => 'needle').join(' ')
      await harness.remember(
        scope,
        note(long),
        ...Array.from({ length: 20 }, (_, index) => note(`needle ${index}`)),
      )
      expect(await retriever(scope, 'needle', { exactBelow: BY_INDEX })).toHaveLength(10)
      const few = await retriever(scope, 'needle', { exactBelow: BY_INDEX, needed: 3 })
      // By signs, more than ten are taken anyway.
      expect(few).toHaveLength(indexed === 'signs' ? 10 : 9)
      expect(few[0]?.score).toBeCloseTo(1, 6)
    })

    it('asks again if texts of several chunks give too few hits, by signs only if all that is taken does', async () => {
      const scope = await harness.newProject()
      const long = (index: number) =>
        note(`${Array.from({ length: 300 }, () => 'needle').join(' ')} ${index}`)
      await harness.remember(scope, ...Array.from({ length: 20 }, (_, index) => long(index)))
      const { recorded, byIndex } = record(scope)
      expect(await retriever(recorded, 'needle', { exactBelow: BY_INDEX })).toHaveLength(10)
      expect(byIndex()).toHaveLength(indexed === 'signs' ? 1 : 2)
    })

    it('compares those that a filter leaves, by their ids or by their numbers', async () => {
      const scope = await harness.newProject()
      await harness.remember(
        scope,
        ...Array.from({ length: 30 }, (_, at) =>
          note(`alpha ${at}`, { labels: at % 3 === 0 ? ['third'] : [] }),
        ),
      )
      const filter = { labelsAny: ['third'] }
      const exact = await retriever(scope, 'alpha 7', { filter })
      expect(exact).toHaveLength(10)
      const narrow = { filter, narrowed: true, exactBelow: BY_INDEX }
      const unread = withoutHashes(exact)
      expect(await retriever(scope, 'alpha 7', narrow)).toEqual(unread)
      expect(await retriever(scope, 'alpha 7', { ...narrow, byNumber: true })).toEqual(unread)
    })

    it('finds forgotten memories only when asked', async () => {
      const scope = await harness.newProject()
      const [, forgotten] = await harness.remember(scope, note('alpha beta'), note('alpha gamma'))
      await harness.append(scope, { type: 'forget', id: forgotten!.state.id })
      await harness.apply(scope)
      expect(await retriever(scope, 'alpha gamma')).toHaveLength(1)
      const both = await retriever(scope, 'alpha gamma', { filter: { includeForgotten: true } })
      expect(both).toHaveLength(2)
      expect(both[0]).toMatchObject({ memoryId: forgotten!.state.id, score: expect.closeTo(1, 6) })
    })

    describe('by the index, in a database of many projects', () => {
      let small: ProjectScope
      let large: ProjectScope
      beforeAll(async () => {
        small = await harness.newProject()
        large = await harness.newProject()
        await harness.remember(
          small,
          ...Array.from({ length: 12 }, (_, index) => note(`small topic ${index}`)),
        )
        const [example] = await harness.remember(large, note('the first of the large project'))
        await crowd(large, 1_500, example!.state.id)
      })

      /** Inserts memories and random vectors without the journal: embedding them would take minutes. */
      async function crowd({ projectId, db }: ProjectScope, count: number, like: string) {
        const { memories, vectors, lexicalStats } = harness.readModel.tables
        const id = sql`('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`
        await sql`
        insert into ${memories}
        select project_id, ${id}, number + n, kind, version, sequence, first_sequence + n, state, exact_key,
          case when n % 100 = 0 then 'rare' else 'common' end, agent, labels, categories, importance, created_at,
          occurred_at, expires_at, forgotten, lexemes, length, content_hash
        from ${memories}, generate_series(1, ${count}::int) n where memory_id = ${like}`.execute(db)
        await sql`
        insert into ${vectors}
        select ${projectId}, ${id}, 0, 0, 1,
          (select array_agg(random() - 0.5) from generate_series(1, ${dimension}::int) where n > 0)::vector
        from generate_series(1, ${count}::int) n`.execute(db)
        await sql`update ${lexicalStats} set memories = memories + ${count} where project_id = ${projectId}`.execute(
          db,
        )
      }

      /** A scan that ends after 100 of 1,500 rows is like one that ends after 20,000 of 300,000. */
      const shortScan = (scope: ProjectScope, query: string, options: Parameters<typeof retriever>[2]) =>
        harness.db.transaction().execute(async (trx) => {
          await sql`set local hnsw.max_scan_tuples = 100`.execute(trx)
          await sql`set local hnsw.ef_search = 40`.execute(trx)
          // With statistics of such a small table, the planner would compare everything.
          await sql`set local enable_sort = off`.execute(trx)
          return retriever(projectScope(trx, scope.projectId), query, options)
        })

      it('a small project gets all of its hits', async () => {
        // A walk that is cut short gives the nearest by cosine first, or those by signs, of which all are needed.
        const limit = indexed === 'signs' ? 12 : 10
        const hits = await shortScan(small, 'small topic 7', { limit, exactBelow: BY_INDEX })
        // All but the first are equally near, and the index decides which of them come.
        const scores = (await retriever(small, 'small topic 7', { limit })).map(({ score }) => score)
        expect(hits.map(({ score }) => score)).toEqual(scores.map((score) => expect.closeTo(score, 6)))
        expect(new Set(hits.map(({ memoryId }) => memoryId)).size).toBe(limit)
      })

      it('a filter that leaves little gets all that it leaves', async () => {
        const filter = { context: 'rare' }
        const hits = await shortScan(large, 'topic', { filter, limit: 15, exactBelow: BY_INDEX })
        expect(hits).toHaveLength(15)
        expect(hits).toEqual(await retriever(large, 'topic', { filter, limit: 15 }))
      })

      it('a filter that is known to leave little asks the index for nothing', async () => {
        const { recorded, byIndex } = record(large)
        const filter = { context: 'rare' }
        const exact = withoutHashes(await retriever(large, 'topic', { filter, limit: 10 }))
        const narrow = { filter, limit: 10, exactBelow: BY_INDEX }
        expect(await retriever(recorded, 'topic', { ...narrow, narrowed: true })).toEqual(exact)
        expect(await retriever(recorded, 'topic', { ...narrow, narrowed: true, byNumber: true })).toEqual(
          exact,
        )
        expect(byIndex()).toEqual([])
        await retriever(recorded, 'topic', narrow)
        expect(byIndex()).not.toEqual([])
      })

      it('a large project is searched by the index', async () => {
        const scans = await harness.db.transaction().execute(async (trx) => {
          await sql`set local enable_sort = off`.execute(trx)
          await retriever(projectScope(trx, large.projectId), 'alpha', { exactBelow: BY_INDEX })
          const index = `${harness.readModel.tables.schema}.vectors_embedding_idx`
          // On a server each part of the table has its own.
          const { rows } = await sql<{ scans: number }>`
          select sum(pg_stat_get_xact_numscans(indexrelid))::int as scans from pg_index
          where indexrelid = ${index}::regclass
            or indexrelid in (select inhrelid from pg_inherits where inhparent = ${index}::regclass)`.execute(
            trx,
          )
          return rows[0]?.scans
        })
        expect(scans).toBeGreaterThan(0)
      })

      it('a large project gets nearly what comparing everything gives', async () => {
        const vector = Float32Array.from({ length: dimension }, (_, at) => Math.sin(at * at + 1))
        const near = await retriever(large, 'any', { limit: 50, exactBelow: BY_INDEX, vector })
        const exact = await retriever(large, 'any', { limit: 50, vector })
        const ids = new Set(exact.map(({ memoryId }) => memoryId))
        expect(near).toHaveLength(50)
        expect(near.filter(({ memoryId }) => ids.has(memoryId)).length).toBeGreaterThanOrEqual(least)
      })

      it('a generation of an older Daybook, with 32 bits a number, gives the same, and is verified', async () => {
        const [remembered] = await harness.remember(small, note('alpha beta gamma delta'))
        const ask = async () => [
          ...(await retriever(large, 'alpha beta gamma', { limit: 50 })),
          ...(await retriever(large, 'alpha beta gamma', { limit: 5, exactBelow: BY_INDEX })),
          ...(await retriever(small, 'alpha', { filter: { includeForgotten: true } })),
        ]
        const before = await ask()
        const { vectors, schema } = harness.readModel.tables
        await harness.db.transaction().execute(async (trx) => {
          await sql`set local role none`.execute(trx)
          await sql`drop index ${sql.id(schema, 'vectors_embedding_idx')}`.execute(trx)
          await sql`alter table ${vectors} alter embedding type vector(${sql.lit(dimension)})`.execute(trx)
          await sql`
            create index vectors_embedding_idx on ${vectors}
            using ${vectorIndex(harness.readModel.generation).method(sql`vector_cosine_ops`)}`.execute(trx)
        })
        const after = await ask()
        expect(after).toHaveLength(before.length)
        expect(after.slice(0, 50).map(({ memoryId }) => memoryId)).toEqual(
          before.slice(0, 50).map(({ memoryId }) => memoryId),
        )
        for (const [index, { score }] of after.entries()) expect(score).toBeCloseTo(before[index]!.score, 3)
        // A memory that is written now gets its vector as before.
        const [added] = await harness.remember(small, note('alpha beta gamma epsilon'))
        const ids = [remembered!.state.id, added!.state.id]
        const { memories } = await compareMemories(small, harness.readModel.generation, ids)
        expect(memories.map(({ differs }) => differs)).toEqual([[], []])
      })
    })
  },
)
