import { type Kysely, sql } from 'kysely'
import { secureRows } from '../row-security.ts'

/**
 * The embedding store belongs to projects, as everything else does: one shared by all told a project, by a vector that was there
 * at once, that another has the same text, and nothing could be taken out of it for one of them alone. What is there is copied to each
 * project that has the text, by its rows in the read models; what none has goes, and is embedded again where it is needed after
 * all. Breaking: the version before names no project; its processes know no minimum (`compatibility.ts`) that could be raised.
 *
 * Three statements whatever the number of texts, and nothing of it is held in this process. The store takes its room twice until the
 * migration ends: some 2 KB a text.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table daybook.embeddings_of_projects (
      project_id uuid not null,
      model_id text not null,
      content_hash bytea not null,
      text text,
      claimed_until timestamptz,
      attempts integer not null default 0,
      last_error text,
      embedded_at timestamptz
    )`.execute(db)
  await sql`
    create table daybook.embedding_chunks_of_projects (
      project_id uuid not null,
      model_id text not null,
      content_hash bytea not null,
      chunk integer not null,
      span_start integer not null,
      span_end integer not null,
      embedding vector not null
    )`.execute(db)
  await copyTexts(db)
  await sql`
    insert into daybook.embedding_chunks_of_projects
      (project_id, model_id, content_hash, chunk, span_start, span_end, embedding)
    select e.project_id, c.model_id, c.content_hash, c.chunk, c.span_start, c.span_end, c.embedding
    from daybook.embeddings_of_projects e join daybook.embedding_chunks c using (model_id, content_hash)
    where e.embedded_at is not null`.execute(db)
  for (const table of ['embedding_chunks', 'embeddings']) {
    await sql`drop table ${sql.table(`daybook.${table}`)}`.execute(db)
    await sql`
      alter table ${sql.table(`daybook.${table}_of_projects`)} rename to ${sql.id(table)}`.execute(db)
  }
  // After the rows, which is several times as fast.
  await sql`alter table daybook.embeddings add primary key (project_id, model_id, content_hash)`.execute(db)
  await sql`
    alter table daybook.embedding_chunks add primary key (project_id, model_id, content_hash, chunk),
      add foreign key (project_id, model_id, content_hash) references daybook.embeddings on delete cascade`.execute(
    db,
  )
  // Without the project: the queue is worked off for all of them together.
  await sql`
    create index embeddings_to_do on daybook.embeddings (model_id, claimed_until nulls first)
    where embedded_at is null`.execute(db)
  for (const table of ['embeddings', 'embedding_chunks']) await secureRows(db, sql.table(`daybook.${table}`))
  await sql`
    grant select, insert, update, delete on daybook.embeddings, daybook.embedding_chunks to daybook_app`.execute(
    db,
  )
}

/** To each project whose memories have the text, or had it in a version that can come back. */
async function copyTexts(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and c.relname in ('memories', 'memory_versions') and n.nspname in (
      select 'pgvector_' || generation from daybook.generations where projection = 'pgvector')
    union all select 'daybook.typesense_pending_vectors'`.execute(db)
  const uses = rows.map(({ name }) => sql`select project_id, content_hash from ${sql.raw(name)}`)
  await sql`
    insert into daybook.embeddings_of_projects
      (project_id, model_id, content_hash, text, claimed_until, attempts, last_error, embedded_at)
    select uses.project_id, e.model_id, e.content_hash, e.text, e.claimed_until, e.attempts, e.last_error, e.embedded_at
    from (${sql.join(uses, sql` union `)}) uses join daybook.embeddings e using (content_hash)`.execute(db)
}
