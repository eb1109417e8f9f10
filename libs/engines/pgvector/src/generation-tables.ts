import type { LexicalTables } from '@daybook/lexical-index/tables'
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
 *      `memories.state` only what other columns do not have (`stored-state.ts`); the index of sessions has the hashes of
 *      texts
 *   5  the vector index may hold signs (`vector-index.ts`)
 */
export const LAYOUT_VERSION = 5

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
