import { type Kysely, sql } from 'kysely'

/** Projects, their keys, and the journal. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table daybook.projects (
      id uuid primary key,
      name text not null unique,
      created_at timestamptz not null default now()
    )`.execute(db)
  await sql`
    create table daybook.api_keys (
      id uuid primary key,
      project_id uuid not null references daybook.projects,
      key_hash bytea not null unique,
      name text not null,
      created_at timestamptz not null default now()
    )`.execute(db)
  // One row per project: its lock, and the last sequence given out under it.
  await sql`
    create table daybook.journal_heads (
      project_id uuid primary key references daybook.projects,
      sequence bigint not null default 0,
      last_recorded_at timestamptz not null default '-infinity'
    )`.execute(db)
  // No foreign key to projects: an append holds the project's journal_heads row, which has one. Checking it
  // again for every event would only cost time.
  await sql`
    create table daybook.events (
      project_id uuid not null,
      sequence bigint not null check (sequence > 0),
      event_id uuid not null unique,
      memory_id uuid not null,
      version integer not null check (version > 0),
      type text not null,
      schema_version integer not null,
      data jsonb not null,
      recorded_at timestamptz not null,
      actor text,
      correlation_id text,
      causation_id text,
      primary key (project_id, sequence),
      unique (project_id, memory_id, version)
    )`.execute(db)
  await sql`
    create table daybook.idempotency_keys (
      project_id uuid not null,
      idempotency_key text not null,
      request_hash bytea not null,
      memory_id uuid not null,
      version integer not null,
      primary key (project_id, idempotency_key)
    )`.execute(db)
  await sql`grant select, insert on daybook.projects, daybook.api_keys to daybook_app`.execute(db)
  await sql`grant select, insert, update on daybook.journal_heads to daybook_app`.execute(db)
  // The journal is append-only by its rights: the application cannot change or remove what it wrote.
  await sql`grant select, insert on daybook.events, daybook.idempotency_keys to daybook_app`.execute(db)
}
