import { type Kysely, sql } from 'kysely'

/**
 * Adds a memory's session as one number to the existing generations of the read model; neighbours are found
 * by it. Breaking: a rebuild by the previous version makes a generation without it, which no search could
 * read.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ table: string }>`
    select format('%I.%I', schemaname, tablename) as table from pg_tables
    where tablename = 'memories' and schemaname in (
      select 'pgvector_' || generation from daybook.generations where projection = 'pgvector')`.execute(db)
  for (const { table } of rows) {
    const memories = sql.raw(table)
    await sql`
      alter table ${memories} add column session bigint generated always as (
        uuid_hash_extended(project_id, hashtextextended(context, hashtextextended(kind, 0)))) stored`.execute(
      db,
    )
    await sql`
      create index on ${memories} (session, first_sequence)
      include (project_id, context, kind, memory_id, expires_at, forgotten)
      where session is not null and not forgotten`.execute(db)
    await sql`analyze ${memories}`.execute(db)
  }
}
