import { type Kysely, sql } from 'kysely'

/** Bookkeeping of projections, the embedding store with its queue, and access counts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table daybook.generations (
      projection text not null,
      generation integer not null check (generation > 0),
      status text not null check (status in ('live', 'building', 'old')),
      model_id text not null,
      dimension integer not null,
      created_at timestamptz not null default now(),
      primary key (projection, generation)
    )`.execute(db)
  // What queries go by: each projection has at most one live generation.
  await sql`create unique index one_live_generation on daybook.generations (projection) where status = 'live'`.execute(
    db,
  )
  await sql`
    create table daybook.positions (
      projection text not null,
      generation integer not null,
      project_id uuid not null,
      position bigint not null,
      primary key (projection, generation, project_id)
    )`.execute(db)
  await sql`
    create table daybook.parked_events (
      projection text not null,
      generation integer not null,
      project_id uuid not null,
      sequence bigint not null,
      memory_id uuid not null,
      error text not null,
      attempts integer not null,
      parked_at timestamptz not null default now(),
      primary key (projection, generation, project_id, sequence)
    )`.execute(db)
  // A row without embedded_at is work to do; its text is deleted once it is done.
  await sql`
    create table daybook.embeddings (
      model_id text not null,
      content_hash bytea not null,
      text text,
      claimed_until timestamptz,
      attempts integer not null default 0,
      last_error text,
      embedded_at timestamptz,
      primary key (model_id, content_hash)
    )`.execute(db)
  await sql`
    create index embeddings_to_do on daybook.embeddings (model_id, claimed_until nulls first)
    where embedded_at is null`.execute(db)
  // The column has no dimension: models of different dimensions share the table.
  await sql`
    create table daybook.embedding_chunks (
      model_id text not null,
      content_hash bytea not null,
      chunk integer not null,
      span_start integer not null,
      span_end integer not null,
      embedding vector not null,
      primary key (model_id, content_hash, chunk)
    )`.execute(db)
  await sql`
    create table daybook.memory_access (
      project_id uuid not null,
      memory_id uuid not null,
      accessed_at timestamptz not null,
      access_count integer not null,
      primary key (project_id, memory_id)
    )`.execute(db)
  await sql`
    grant select, insert, update, delete on
      daybook.generations, daybook.positions, daybook.parked_events,
      daybook.embeddings, daybook.embedding_chunks, daybook.memory_access
    to daybook_app`.execute(db)
}
