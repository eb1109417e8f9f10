import { CHAIN_START, type EventFacts } from '@daybook/memory/event-hash'
import { type Kysely, sql } from 'kysely'
import { hashData, hashEvent } from './hash-format-1.ts'

/** Events hashed at a time, so that memory stays small for a journal of any length. */
const PAGE_EVENTS = 200

/**
 * Adds a hash chain to each project's journal, and what export and import need. Breaking: a gateway of the
 * previous version computes no hashes, so its appends are refused. Goes through all events: a minute for one
 * or two million.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table daybook.events add column data_hash bytea, add column hash bytea`.execute(db)
  await sql`
    alter table daybook.journal_heads
    add column hash bytea not null default decode(repeat('00', 32), 'hex')`.execute(db)
  const { rows } = await sql<{ id: string }>`
    select project_id as id from daybook.journal_heads where sequence > 0`.execute(db)
  for (const { id } of rows) await hashProject(db, id)
  await sql`
    alter table daybook.events alter column data_hash set not null, alter column hash set not null`.execute(
    db,
  )
  // Serves exports, which look up the keys of events.
  await sql`
    create index idempotency_keys_of_version on daybook.idempotency_keys (memory_id, version)`.execute(db)
  await replaceEmptyProject(db)
}

async function hashProject(db: Kysely<unknown>, projectId: string): Promise<void> {
  let after = 0
  let hash = CHAIN_START
  for (;;) {
    const { rows } = await sql<EventFacts & { data: unknown }>`
      select project_id as "projectId", sequence, event_id as "eventId", memory_id as "memoryId", version, type,
        schema_version as "schemaVersion", recorded_at as "recordedAt", actor, correlation_id as "correlationId",
        causation_id as "causationId", data
      from daybook.events where project_id = ${projectId} and sequence > ${after}
      order by sequence limit ${PAGE_EVENTS}`.execute(db)
    const last = rows.at(-1)
    if (last === undefined) break
    const hashed = rows.map((row) => {
      const dataHash = hashData(row.data)
      hash = hashEvent(hash, row, dataHash)
      return { sequence: row.sequence, data_hash: dataHash, hash }
    })
    await sql`
      update daybook.events set data_hash = decode(given.data_hash, 'hex'), hash = decode(given.hash, 'hex')
      from jsonb_to_recordset(${JSON.stringify(hashed)}::jsonb)
        as given(sequence bigint, data_hash text, hash text)
      where project_id = ${projectId} and events.sequence = given.sequence`.execute(db)
    after = last.sequence
  }
  await sql`update daybook.journal_heads set hash = decode(${hash}, 'hex') where project_id = ${projectId}`.execute(
    db,
  )
}

/**
 * The first start makes a project `default`. An imported project of that name has another id, which its
 * events and hashes contain. It replaces the empty project and takes over its keys. The application may
 * change neither projects nor keys, so a function with its owner's rights does this one thing, and only to a
 * project without events.
 */
async function replaceEmptyProject(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function daybook.replace_empty_project(empty_id uuid, new_id uuid) returns boolean
    language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
    declare taken_name text;
    begin
      -- Waits for an append under way; those that wait behind this find no journal.
      perform from daybook.journal_heads where project_id = empty_id and sequence = 0 for update;
      if not found then return false; end if;
      select name into taken_name from daybook.projects where id = empty_id;
      update daybook.projects set name = 'replaced ' || empty_id where id = empty_id;
      insert into daybook.projects (id, name) values (new_id, taken_name);
      insert into daybook.journal_heads (project_id) values (new_id);
      update daybook.api_keys set project_id = new_id where project_id = empty_id;
      delete from daybook.journal_heads where project_id = empty_id;
      delete from daybook.projects where id = empty_id;
      return true;
    end $$`.execute(db)
  await sql`revoke all on function daybook.replace_empty_project from public`.execute(db)
  await sql`grant execute on function daybook.replace_empty_project to daybook_app`.execute(db)
}
