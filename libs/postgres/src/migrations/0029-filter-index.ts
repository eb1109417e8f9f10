import { type Kysely, sql } from 'kysely'

/**
 * Gives the Postgres read model one index with all that filters read but the context, and vectors the number of
 * their memory, so that a filtered search need not read the memories themselves. An entry of an index holds at most 2,704 bytes, so labels and categories
 * that together are long stay out of it (null). Compatible. Memories are written anew, some 10 s for a million.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ table: string; vectors: string }>`
    select format('%I.%I', schemaname, tablename) as table, format('%I.vectors', schemaname) as vectors from pg_tables
    where tablename = 'memories' and schemaname in (
      select 'pgvector_' || generation from daybook.generations where projection = 'pgvector')`.execute(db)
  for (const { table, vectors } of rows) {
    const memories = sql.raw(table)
    await sql`
      alter table ${memories}
        add column filter_labels text[] generated always as (${ifShort('labels')}) stored,
        add column filter_categories text[] generated always as (${ifShort('categories')}) stored`.execute(db)
    await sql`
      create index on ${memories} (project_id, forgotten)
      include (memory_id, number, kind, agent, filter_labels, filter_categories, importance, created_at,
        occurred_at, expires_at)`.execute(db)
    await sql`create index on ${memories} (project_id) where filter_labels is null`.execute(db)
    // Those that are there keep none: every one would be put into the vectors' index again.
    await sql`alter table ${sql.raw(vectors)} add column number integer`.execute(db)
  }
}

const WORDS = 24
const BYTES = 800

function ifShort(column: 'labels' | 'categories') {
  const bytes = ['labels', 'categories'].flatMap((name) =>
    Array.from(
      { length: WORDS },
      (_, at) => sql`coalesce(octet_length(${sql.ref(name)}[${sql.lit(at + 1)}]), 0)`,
    ),
  )
  return sql`
    case when cardinality(labels) + cardinality(categories) <= ${sql.lit(WORDS)}
      and ${sql.join(bytes, sql` + `)} <= ${sql.lit(BYTES)} then ${sql.ref(column)} end`
}
