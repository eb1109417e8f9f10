import { type Kysely, sql } from 'kysely'

/**
 * The one way in which content leaves the journal: a function of the owner, because the application may not change
 * events. It takes only memories whose newest event says that they are erased, so that there is always a trace, and
 * only of the project that the session is bound to: row level security may not bind the owner. Compatible: the
 * previous version treats events without content as erased.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function daybook.erase_memories(project uuid, memory_ids uuid[]) returns bigint
    language plpgsql security definer set search_path = daybook, pg_temp as $$
    declare
      bound text := current_setting('daybook.project', true);
      erased bigint;
    begin
      if bound is distinct from '*' and bound is distinct from project::text then
        raise exception 'the session is bound to another project' using errcode = 'insufficient_privilege';
      end if;
      if exists (
        select from unnest(memory_ids) as given(id) where (
          select type <> 'MemoryErased' or data is not null from events
          where project_id = project and memory_id = given.id order by version desc limit 1
        ) is distinct from false
      ) then
        raise exception 'a memory is erased only after an event that says so' using errcode = 'insufficient_privilege';
      end if;
      update project_usage u set bytes = u.bytes - (
        select coalesce(sum(octet_length(e.data::text)), 0) from events e
        where e.project_id = project and e.memory_id = any(memory_ids))
      where u.project_id = project;
      update events set data = null, data_salt = null
      where project_id = project and memory_id = any(memory_ids) and (data is not null or data_salt is not null);
      get diagnostics erased = row_count;
      update idempotency_keys set request_hash = null
      where project_id = project and memory_id = any(memory_ids) and request_hash is not null;
      return erased;
    end $$`.execute(db)
  await sql`revoke all on function daybook.erase_memories(uuid, uuid[]) from public`.execute(db)
  await sql`grant execute on function daybook.erase_memories(uuid, uuid[]) to daybook_app`.execute(db)
}
