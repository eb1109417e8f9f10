import type { DatabaseTransaction } from '@daybook/postgres/connect'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { sql } from 'kysely'
import type { GenerationTables } from './generation-tables.ts'
import type { MemoryRow } from './memory-row.ts'

/** The project's word statistics. A missing row is a project without memories. */
export interface LexicalStats {
  readonly memories: number
  readonly total_length: number
  readonly next_number: number
}

export async function readLexicalStats(
  trx: DatabaseTransaction,
  tables: GenerationTables,
  projectId: string,
): Promise<LexicalStats> {
  const { rows } = await sql<LexicalStats>`
    select memories, total_length, next_number from ${tables.lexicalStats} where project_id = ${projectId}`.execute(
    trx,
  )
  return rows[0] ?? { memories: 0, total_length: 0, next_number: 1 }
}

/**
 * Of memories that are in the lexical index, those whose new text has other lexemes than they are indexed by. Asked of
 * Postgres, which knows what it made of the old text; comparing texts would be wrong once a new Daybook makes another
 * text of the same state. Analysing a text twice costs a tenth of replacing its postings.
 */
export async function memoriesWithOtherLexemes(
  trx: DatabaseTransaction,
  tables: GenerationTables,
  projectId: string,
  rows: readonly MemoryRow[],
): Promise<Set<string>> {
  if (rows.length === 0) return new Set()
  const texts = rows.map(({ memory_id, lexical_text }) => ({ memory_id, lexical_text }))
  const result = await sql<{ memory_id: string }>`
    select given.memory_id
    from jsonb_to_recordset(${JSON.stringify(texts)}::jsonb) as given(memory_id uuid, lexical_text text)
    cross join lateral (
      select lexemes from ${tables.memories} where project_id = ${projectId} and memory_id = given.memory_id offset 0
    ) indexed
    where indexed.lexemes <> to_tsvector('english', given.lexical_text)`.execute(trx)
  return new Set(result.rows.map((row) => row.memory_id))
}

/**
 * Takes memories out of the lexical index. Their rows in `memories` must still hold the lexemes they are indexed by.
 *
 * Each posting is looked up by its whole key and deleted by its place, as a join would be left to the planner: without
 * statistics, which the embedded database never gathers, it goes through all of the project's postings for each memory
 * (3,000 memories, 100 of them revised: 1.1 s).
 */
export async function removePostings(
  trx: DatabaseTransaction,
  tables: GenerationTables,
  projectId: string,
  memoryIds: readonly string[],
): Promise<void> {
  if (memoryIds.length === 0) return
  await sql`
    delete from ${tables.postings} where ctid = any(array(
      select p.place
      from ${tables.memories} m cross join lateral unnest(tsvector_to_array(m.lexemes)) as indexed(lexeme)
      cross join lateral (
        select ctid as place from ${tables.postings}
        where project_id = ${projectId} and lexeme = indexed.lexeme and number = m.number offset 0
      ) p
      where m.project_id = ${projectId} and m.memory_id = any(${memoryIds}::uuid[])))`.execute(trx)
}

/** Puts memories into the lexical index by the lexemes that their rows hold now. @returns their total length. */
export async function insertPostings(
  trx: DatabaseTransaction,
  tables: GenerationTables,
  projectId: string,
  memoryIds: readonly string[],
): Promise<number> {
  if (memoryIds.length === 0) return 0
  const { rows } = await sql<{ length: number }>`
    with posted as (
      insert into ${tables.postings} (project_id, lexeme, number, frequency, length)
      select ${projectId}, lexeme, number, cardinality(positions), length
      from ${tables.memories} m, unnest(m.lexemes)
      where m.project_id = ${projectId} and m.memory_id = any(${memoryIds}::uuid[])
      order by lexeme
    )
    select coalesce(sum(length), 0)::bigint as length from ${tables.memories}
    where project_id = ${projectId} and memory_id = any(${memoryIds}::uuid[])`.execute(trx)
  return rows[0]?.length ?? 0
}

export async function saveLexicalStats(
  trx: DatabaseTransaction,
  tables: GenerationTables,
  projectId: string,
  stats: LexicalStats,
): Promise<void> {
  await sql`
    insert into ${tables.lexicalStats} (project_id, memories, total_length, next_number)
    values (${projectId}, ${stats.memories}, ${stats.total_length}, ${stats.next_number})
    on conflict (project_id) do update set
      memories = excluded.memories, total_length = excluded.total_length, next_number = excluded.next_number`.execute(
    trx,
  )
}

/** Puts all live memories with these numbers into the lexical index, as a rebuild does; what is there already stays. */
export async function insertPageOfPostings(
  { db, projectId }: ProjectScope,
  tables: GenerationTables,
  { first, last }: { first: number; last: number },
): Promise<void> {
  await sql`
    insert into ${tables.postings} (project_id, lexeme, number, frequency, length)
    select ${projectId}, lexeme, number, cardinality(positions), length
    from ${tables.memories} m, unnest(m.lexemes)
    where m.project_id = ${projectId} and m.number between ${first} and ${last} and not m.forgotten
    order by lexeme
    on conflict do nothing`.execute(db)
}

/** Counts the project's statistics anew from its memories. */
export async function countLexicalStats(
  trx: DatabaseTransaction,
  tables: GenerationTables,
  projectId: string,
  nextNumber: number,
): Promise<void> {
  const { rows } = await sql<{ memories: number; total_length: number }>`
    select count(*) as memories, coalesce(sum(length), 0)::bigint as total_length
    from ${tables.memories} where project_id = ${projectId} and not forgotten`.execute(trx)
  const { memories, total_length } = rows[0] ?? { memories: 0, total_length: 0 }
  await saveLexicalStats(trx, tables, projectId, { memories, total_length, next_number: nextNumber })
}
