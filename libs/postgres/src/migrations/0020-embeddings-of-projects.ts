import { type Kysely, sql } from 'kysely'
import { secureRows } from '../row-security.ts'

/**
 * Makes the embedding store belong to projects. While all projects shared it, a vector that was there at once
 * told a project that another one has the same text, and nothing could be deleted for one project alone. Rows
 * are copied to each project whose read models use the text; unused rows are dropped, and embedded again if
 * needed. Breaking: the previous version names no project, and its processes check no minimum
 * (`compatibility.ts`) that could be raised.
 *
 * It takes three statements for any number of texts, and this process holds none of them. Until the migration
 * ends, the store takes twice its room: some 2 KB per text.
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
  // Adding keys after the rows is several times as fast.
  await sql`alter table daybook.embeddings add primary key (project_id, model_id, content_hash)`.execute(db)
  await sql`
    alter table daybook.embedding_chunks add primary key (project_id, model_id, content_hash, chunk),
      add foreign key (project_id, model_id, content_hash) references daybook.embeddings on delete cascade`.execute(
    db,
  )
  // Without the project: one queue serves all projects.
  await sql`
    create index embeddings_to_do on daybook.embeddings (model_id, claimed_until nulls first)
    where embedded_at is null`.execute(db)
  for (const table of ['embeddings', 'embedding_chunks']) await secureRows(db, sql.table(`daybook.${table}`))
  await sql`
    grant select, insert, update, delete on daybook.embeddings, daybook.embedding_chunks to daybook_app`.execute(
    db,
  )
}

/** Copies to each project whose memories have the text now, or had it in a version that can be restored. */
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
