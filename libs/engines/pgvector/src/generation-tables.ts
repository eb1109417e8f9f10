import type { LexicalTables } from '@daybook/lexical-index/tables'
import { type RawBuilder, sql } from 'kysely'

/** The name by which the projection is known everywhere. */
export const PGVECTOR = 'pgvector'

/**
 * The version of the tables that `create-generation.ts` makes. One more whenever they, or what is in them, become others than
 * the code before can read or write: live generations of another version are rebuilt by themselves.
 */
export const LAYOUT_VERSION = 2

/** The tables of one generation, ready to stand in a statement. */
export interface GenerationTables extends LexicalTables {
  readonly schema: string
  /** Every version that ever was. */
  readonly versions: RawBuilder<unknown>
  /** One row a chunk of a current memory's text, forgotten memories left out. */
  readonly vectors: RawBuilder<unknown>
}

/** The tables of generation `generation`: a Postgres schema of their own, `pgvector_1`, `pgvector_2`, … */
export function generationTables(generation: number): GenerationTables {
  const schema = `${PGVECTOR}_${generation}`
  return {
    schema,
    memories: sql.table(`${schema}.memories`),
    versions: sql.table(`${schema}.memory_versions`),
    postings: sql.table(`${schema}.postings`),
    lexicalStats: sql.table(`${schema}.lexical_stats`),
    vectors: sql.table(`${schema}.vectors`),
  }
}
