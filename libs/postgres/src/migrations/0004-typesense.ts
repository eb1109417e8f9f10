import { type Kysely, sql } from 'kysely'

/**
 * What the Typesense projection must keep in Postgres, because Typesense has no transactions. Compatible: the
 * previous version can run beside it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Who is writing a project now, by the database's clock: for projections that are not written in a
  // transaction.
  await sql`alter table daybook.positions add column claimed_by uuid, add column claimed_until timestamptz`.execute(
    db,
  )
  // Documents that exist without their vectors.
  await sql`
    create table daybook.typesense_pending_vectors (
      generation integer not null,
      project_id uuid not null,
      memory_id uuid not null,
      content_hash bytea not null,
      primary key (generation, project_id, memory_id)
    )`.execute(db)
  await sql`create index on daybook.typesense_pending_vectors (generation, content_hash)`.execute(db)
  // Documents that may be older than the position says, and must be written again.
  await sql`
    create table daybook.typesense_reposts (
      generation integer not null,
      project_id uuid not null,
      memory_id uuid not null,
      note uuid not null,
      primary key (generation, project_id, memory_id)
    )`.execute(db)
  // Which creation of the collection the positions refer to: a wiped server makes a new one.
  await sql`
    create table daybook.typesense_collections (
      generation integer primary key,
      incarnation text not null
    )`.execute(db)
  await sql`
    grant select, insert, update, delete on
      daybook.typesense_pending_vectors, daybook.typesense_reposts, daybook.typesense_collections
    to daybook_app`.execute(db)
}
