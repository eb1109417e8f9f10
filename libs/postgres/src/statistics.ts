import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * The columns of texts, documents, bytes and vectors whose planner statistics plans need, by name in all our tables,
 * with the reason. Postgres keeps the commonest and other values of a column in `pg_statistic`, also of rows that are gone.
 * `embedded/clear-free-space.ts`, or an administrator (docs/security.md), removes what is erased from there.
 */
export const KEPT_STATISTICS: Readonly<Record<string, string>> = {
  // Names that are Daybook's own.
  kind: 'a name of ours, beside exact keys',
  type: 'a name of ours: erasures among events',
  status: 'a name of ours: running operations',
  projection: 'a name of ours, in most primary keys of projections',
  reader: 'a name of ours: a projection’s places',
  model_id: 'the name of a model: one model’s texts in the embedding store',
  // Of the envelope, which stays when a memory is erased.
  idempotency_key: 'requests that come again',
  supersedes: 'an id: what took a memory’s place',
  part_of: 'an id: the parts of a document',
  // What is erased.
  context: 'filters: a context may hold a memory or most of a project',
  agent: 'filters by agent, and quarantines',
  writer_agent: 'quarantines',
  editor_agent: 'quarantines',
  exact_key: 'searches of what was said of an exact thing',
  lexeme: 'postings of a question’s words: the default is a 200th of the table for each',
  content_hash: 'up to hundreds of texts in one look into the embedding store',
}

/**
 * Lets the planner gather no statistics of a schema's columns that may have something of a memory, but the kept ones.
 * Row level security would keep it from using most of them anyway: only operators such as `=` tell nothing of the rows that
 * they look at. Call it in every migration that makes such a column.
 */
export async function omitStatistics(db: QueryExecutorProvider, schema: string): Promise<void> {
  await sql`
    do $$ declare entry record; begin
      for entry in ${tellingColumns(schema)} loop
        execute format('alter table %s alter column %I set statistics 0', entry.relation::regclass, entry.name);
      end loop;
    end $$`.execute(db)
}

/** All but truth values, moments, numbers and ids; and not the kept ones. */
const tellingColumns = (schema: string) => sql`
  select c.oid as relation, c.relname as table_name, attname as name, attnum as number
  from pg_class c join pg_attribute on attrelid = c.oid join pg_type t on t.oid = atttypid
  where relkind in ('r', 'p') and relnamespace = ${sql.lit(schema)}::regnamespace and attnum > 0 and not attisdropped
    and typcategory not in ('B', 'D', 'N', 'T') and typname <> 'uuid'
    and attname not in (${sql.join(Object.keys(KEPT_STATISTICS).map((name) => sql.lit(name)))})`
