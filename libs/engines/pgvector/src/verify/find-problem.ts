import type { Database } from '@daybook/postgres/connect'
import { isRelationMissing } from '@daybook/postgres/errors'
import { sql } from 'kysely'
import { generationTables } from '../generation-tables.ts'

/**
 * Why a generation can be neither written nor read: a table or column is missing, for example after a restore
 * of a dump that left it out. Null if all are there. The statements select every column and no row.
 */
export async function findProblem(db: Database, generation: number): Promise<string | null> {
  const { memories, versions, postings, formerPostings, lexicalStats, vectors, waiting } =
    generationTables(generation)
  const looks = [
    sql`select project_id, memory_id, number, kind, version, sequence, first_sequence, state, exact_key, context, agent,
      labels, categories, importance, created_at, occurred_at, expires_at, forgotten, lexemes, length, content_hash,
      session, supersedes, part_of, filter_labels, filter_categories, writer, editor,
      writer_agent, editor_agent from ${memories} limit 0`,
    sql`select project_id, memory_id, version, sequence, content_hash, lexemes from ${versions} limit 0`,
    sql`select project_id, lexeme, segment, entries, removed, recent from ${postings} limit 0`,
    sql`select project_id, lexeme, segment, entries, removed, recent from ${formerPostings} limit 0`,
    sql`select project_id, memories, total_length, next_number, language from ${lexicalStats} limit 0`,
    sql`select project_id, memory_id, chunk, span_start, span_end, embedding, number from ${vectors} limit 0`,
    sql`select project_id, memory_id, content_hash from ${waiting} limit 0`,
  ]
  for (const look of looks)
    try {
      await look.execute(db)
    } catch (error) {
      if (isRelationMissing(error)) return (error as Error).message
      throw error
    }
  return null
}
