import type { EmbeddingModel } from '@daybook/embeddings/embedders'
import { DEFAULT_MODEL, Q8_MODEL } from '@daybook/embeddings/models'
import { plainModelId } from '@daybook/embeddings/token-bits/token-bits'
import type { LexicalTables } from '@daybook/lexical-index/lexemes'
import { type RawBuilder, sql } from 'kysely'

/** The projection's name everywhere. */
export const PGVECTOR = 'pgvector'

/**
 * The version of the tables that `create-generation.ts` creates. Raise it whenever older code could not read
 * or write the tables or their content any more. Live generations with another version are rebuilt
 * automatically.
 *
 *   3  lexemes of folded words (`libs/memory/src/fold-words.ts`), and each project's language
 *   4  memories that wait for a vector are in a table of their own, `memory_versions` holds past versions only, and
 *      `memories.state` only what other columns do not have (`generation-tables.ts`); the index of sessions has the hashes of
 *      texts
 *   5  the vector index may hold signs (`generation-tables.ts`)
 *   6  words are indexed by their parts too (`libs/memory/src/word-parts.ts`)
 *   7  the vectors of one text are found by its hash
 *   8  words are folded alike in each form of Unicode
 */
export const LAYOUT_VERSION = 8

/** The tables of one generation, for use in a statement. */
export interface GenerationTables extends LexicalTables {
  readonly schema: string
  /** The versions that memories had before their present ones: see `write/write-versions.ts`. */
  readonly versions: RawBuilder<unknown>
  /** Postings of words that memories had once and have no more: see `former-words.ts`. */
  readonly formerPostings: RawBuilder<unknown>
  /** One row for each chunk of a current memory's text, without forgotten memories. */
  readonly vectors: RawBuilder<unknown>
  /** The memories that wait for their text's vector: see `write/write-vectors.ts`. */
  readonly waiting: RawBuilder<unknown>
}

/** The tables of a generation. They are in a Postgres schema of their own: `pgvector_1`, `pgvector_2`, … */
export function generationTables(generation: number): GenerationTables {
  const schema = `${PGVECTOR}_${generation}`
  return {
    schema,
    memories: sql.table(`${schema}.memories`),
    versions: sql.table(`${schema}.memory_versions`),
    postings: sql.table(`${schema}.postings`),
    formerPostings: sql.table(`${schema}.former_postings`),
    lexicalStats: sql.table(`${schema}.lexical_stats`),
    vectors: sql.table(`${schema}.vectors`),
    waiting: sql.table(`${schema}.waiting`),
  }
}

/*
 * The column `state` of `memories` has only those fields of a memory's state that do not follow from the row's other
 * columns: 250 bytes of 630 of a conversation's turn (docs/measurements.md#room-of-a-memory). They are put together
 * again when a state is read:
 *
 *   state = fields from the columns, overridden by those in `state`
 *
 * Nothing depends on how a column turns a value into another one: a field is left out only if the columns give exactly
 * its value back, and all of them stay if the state that would be read were another one. Such a row has an `id` in its
 * state; no other has. The content, which conditions look into, is always there.
 */

/**
 * The columns that fields follow from. Never add one of a field that older events lack: null would follow from it, which such
 * a state does not say, so that the whole state of every old memory would be stored. It is a generated column, as
 * `supersedes` is (`write/create-generation.ts`).
 */
const COLUMNS = [
  'memory_id',
  'kind',
  'agent',
  'labels',
  'categories',
  'importance',
  'context',
  'created_at',
  'occurred_at',
  'expires_at',
] as const

type Columns = Readonly<Record<(typeof COLUMNS)[number], RawBuilder<unknown>>>

/** As a state has it: RFC 3339 with milliseconds. */
const moment = (column: RawBuilder<unknown>) =>
  sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** What the columns say of a state, and what most states have in common. */
const followsFrom = (row: Columns): RawBuilder<unknown> => sql`
  jsonb_build_object('id', ${row.memory_id}, 'kind', ${row.kind}, 'agent', ${row.agent}, 'labels', ${row.labels},
    'categories', ${row.categories}, 'importance', ${row.importance}, 'context', ${row.context}, 'metadata', '{}'::jsonb,
    'createdAt', ${moment(row.created_at)}, 'updatedAt', ${moment(row.created_at)},
    'occurredAt', ${moment(row.occurred_at)}, 'expiresAt', ${moment(row.expires_at)}, 'forgottenAt', null)`

/**
 * SQL: what the column `state` holds of a state.
 * @param state the whole one, as JSON
 * @param row the values of the other columns
 */
export const storedState = (state: RawBuilder<unknown>, row: Columns): RawBuilder<unknown> => sql`(
  select case when known.derived || rest.fields = known.whole and not rest.fields ? 'id' then rest.fields
    else known.whole end
  from (select ${state} as whole, ${followsFrom(row)} as derived offset 0) known cross join lateral (
    select coalesce(jsonb_object_agg(key, value), '{}') as fields from jsonb_each(known.whole)
    where value is distinct from known.derived->key
  ) rest)`

/** SQL: the whole state of a row of the table `memories`. @param alias of the table */
export function wholeState(alias: string): RawBuilder<unknown> {
  const row = Object.fromEntries(COLUMNS.map((name) => [name, sql.id(alias, name)])) as Columns
  const state = sql.id(alias, 'state')
  return sql`case when ${state} ? 'id' then ${state} else ${followsFrom(row)} || ${state} end`
}

/** How the vectors of one model are indexed (HNSW), and asked for in the order that the index gives. */
interface VectorIndex {
  /**
   * How it is made: what follows `using` when it is created on the column `embedding`. `m` is how many links each
   * vector has to others, in the lowest layer twice as many.
   * @param cosine the cosine operators of the column's type
   */
  method(cosine: RawBuilder<unknown>): RawBuilder<unknown>
  /** The distance by which the index orders. @param query a vector, as pgvector writes it */
  distance(embedding: RawBuilder<unknown>, query: RawBuilder<unknown>): RawBuilder<unknown>
  /** How many to take from the index, so that nearly all of the nearest `wanted` are among them. */
  taken(wanted: number): number
}

/** The vectors themselves, as pgvector has it by default: what the index gives first is nearest. */
const BY_COSINE: VectorIndex = {
  method: (cosine) => sql`hnsw (embedding ${cosine}) with (m = 16)`,
  distance: (embedding, query) => sql`${embedding} <=> ${query}`,
  taken: (wanted) => wanted,
}

/**
 * Of the ten that are nearest by cosine, .995 are among so many by signs (an index of the vectors finds .993), of the
 * nearest hundred .9 (.98). Whole searches among 25,000 memories find .803 of what they should (.805). With 300 it is
 * .804, and a search among 100,000 random directions takes 5 ms more.
 */
const TAKEN_BY_SIGNS = 200

/**
 * One bit a number, whether it is above 0, compared by how many bits differ. The index takes 301 bytes a vector
 * of 384 numbers instead of 1,171, and PGlite builds it in a seventh of the time. More are taken from it, and put
 * in order by cosine (docs/measurements.md#an-index-of-signs).
 *
 * Source: Charikar, "Similarity Estimation Techniques from Rounding Algorithms", STOC 2002.
 */
const bySigns = (dimension: number): VectorIndex => {
  const bits = sql`bit(${sql.lit(dimension)})`
  return {
    method: () => sql`hnsw ((binary_quantize(embedding)::${bits}) bit_hamming_ops) with (m = 12)`,
    distance: (embedding, query) =>
      sql`binary_quantize(${embedding})::${bits} <~> binary_quantize(${query}::vector)::${bits}`,
    taken: (wanted) => Math.max(2 * wanted, TAKEN_BY_SIGNS),
  }
}

/**
 * The models whose nearest vectors are found by signs. Measured, model by model: numbers that lie beside 0 for every
 * text, as some models have, tell nothing by their signs. Whoever changes this list raises `LAYOUT_VERSION`: an index
 * that was built before serves no query any more.
 */
const SIGNS_SUFFICE = new Set([DEFAULT_MODEL, Q8_MODEL].map(({ modelId }) => plainModelId(modelId)))

/** How the vectors of a model are indexed. */
export const vectorIndex = ({ modelId, dimension }: EmbeddingModel): VectorIndex =>
  SIGNS_SUFFICE.has(plainModelId(modelId)) ? bySigns(dimension) : BY_COSINE
