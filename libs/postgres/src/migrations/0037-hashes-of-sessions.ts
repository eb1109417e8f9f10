import { type Kysely, sql } from 'kysely'

/**
 * Gives the index of sessions the hashes of texts, so that a search finds the token bits of neighbours without reading
 * the neighbours. Compatible. The index is made anew, about a second for 100,000 memories.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ table: string; index: string }>`
    select indrelid::regclass::text as table, indexrelid::regclass::text as index from pg_index
    where pg_get_indexdef(indexrelid) like '%(session, first_sequence)%' and indrelid in (
      select format('%I.%I', schemaname, tablename)::regclass from pg_tables
      where tablename = 'memories' and schemaname in (
        select 'pgvector_' || generation from daybook.generations where projection = 'pgvector'))`.execute(db)
  for (const { table, index } of rows) {
    await sql`drop index ${sql.raw(index)}`.execute(db)
    await sql`
      create index on ${sql.raw(table)} (session, first_sequence)
      include (project_id, context, kind, memory_id, expires_at, forgotten, writer, editor, content_hash)
      where session is not null and not forgotten`.execute(db)
  }
}
