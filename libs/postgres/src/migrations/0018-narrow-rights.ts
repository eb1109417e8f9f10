import { type Kysely, sql } from 'kysely'

/**
 * Narrows the rights of the application and its login to what their work needs. Breaking: gateways of the
 * previous version make the default key as the application, which may no longer do that.
 *
 * - Row level security binds owners too: their mistakes show no other project's rows either.
 * - Only the owner makes keys.
 * - A journal begins empty, and its head moves only over existing events.
 * - Generations of the read model belong to `daybook_indexer`. This role makes and drops their tables and
 *   indexes and has no other right, so the login of services need not own the journal.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    do $$ declare secured record;
    begin
      for secured in select oid::regclass as name from pg_class where relrowsecurity and relkind = 'r' loop
        execute format('alter table %s force row level security', secured.name);
      end loop;
    end $$`.execute(db)
  await sql`revoke insert on daybook.api_keys from daybook_app`.execute(db)
  await sql`revoke insert, update on daybook.journal_heads from daybook_app`.execute(db)
  await sql`grant insert (project_id, last_recorded_at) on daybook.journal_heads to daybook_app`.execute(db)
  await sql`grant update (sequence, hash, last_recorded_at) on daybook.journal_heads to daybook_app`.execute(
    db,
  )
  await guardHeads(db)
  await handOverGenerations(db)
}

/**
 * A trigger that counts the events between the old head and the new one, so that neither a gap nor a head
 * without its event is possible. It runs after the statement, because one statement writes events and head.
 * It adds an index lookup over the new events to each append. Sequential scans are off: a session keeps the
 * plan that it made while the journal was empty, which was to read everything.
 */
async function guardHeads(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function daybook.guard_journal_head() returns trigger
    language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_bitmapscan = off as $$
    begin
      -- The owner migrates, and repairs.
      if pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'member') then return null; end if;
      if new.sequence < old.sequence or new.sequence - old.sequence <> (
        select count(*) from daybook.events
        where project_id = new.project_id and sequence > old.sequence and sequence <= new.sequence
      ) then
        raise exception 'the journal''s head may only move over events that were appended (% to %)', old.sequence, new.sequence
          using errcode = 'insufficient_privilege';
      end if;
      return null;
    end $$`.execute(db)
  await sql`
    create trigger guard_journal_head after update of sequence on daybook.journal_heads
    for each row execute function daybook.guard_journal_head()`.execute(db)
}

async function handOverGenerations(db: Kysely<unknown>): Promise<void> {
  await sql`
    do $$ declare made record;
    begin
      for made in select nspname as name from pg_namespace where nspname in (
        select 'pgvector_' || generation from daybook.generations where projection = 'pgvector') loop
        execute format('alter schema %I owner to daybook_indexer', made.name);
      end loop;
      for made in select c.oid::regclass as name from pg_class c join pg_namespace n on n.oid = relnamespace
        where relkind = 'r' and nspname in (
          select 'pgvector_' || generation from daybook.generations where projection = 'pgvector') loop
        execute format('alter table %s owner to daybook_indexer', made.name);
      end loop;
    end $$`.execute(db)
}
