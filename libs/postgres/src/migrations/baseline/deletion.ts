import { type Kysely, sql } from 'kysely'
import { makeOwnerFunction } from '../../project-scope.ts'
import { ALL_RIGHTS, makeTable } from './make-table.ts'

/** Deleting projects, and what is left to do after an erasure. */
export async function makeDeletion(db: Kysely<unknown>): Promise<void> {
  // The trace of a deletion. Without the project's name, which may be a customer's. `of_home`: it was a copy, and may be
  // followed again.
  await makeTable(
    db,
    'deleted_projects',
    { rights: 'select' },
    sql`
    project_id uuid primary key,
    deleted_by text,
    events bigint not null,
    requested_at timestamptz not null default clock_timestamp(),
    finished_at timestamptz,
    of_home boolean not null default false`,
  )
  // Which texts an erasure took, until no projection can queue them for embedding any more. The journal cannot tell:
  // it has lost them. The hashes are not salted, so a row goes as soon as all projections have applied the erasure.
  await makeTable(
    db,
    'erased_texts',
    { rights: ALL_RIGHTS },
    sql`
    project_id uuid not null,
    content_hash bytea not null,
    sequence bigint not null,
    primary key (project_id, content_hash)`,
  )
  // Whether free space of tables may have text that was erased (`embedded/clear-free-space.ts`).
  await makeTable(
    db,
    'free_space',
    { rights: 'select, update', projectColumn: null },
    sql`one_row boolean primary key default true check (one_row), erased_at timestamptz`,
  )
  await sql`insert into daybook.free_space default values`.execute(db)
  await beginDeletions(db)
  await removeJournals(db)
}

/**
 * What makes a project disappear at once, in one short transaction: without its head nothing can be appended,
 * without its row no list and no name leads to it, and no key opens it. Keys that opened only this project are
 * revoked. But a key that runs the whole Daybook is not: whoever deletes would lock themselves out. It opens
 * the project `default` then, which is made again if it is the deleted one.
 */
async function beginDeletions(db: Kysely<unknown>): Promise<void> {
  await makeOwnerFunction(
    db,
    'begin_project_deletion(acting bytea, doomed uuid, asked_by text, new_default uuid)',
    'boolean',
    sql`
    declare
      ended bigint;
      doomed_name text;
      stranded uuid[];
    begin
      perform daybook.require_administrator(acting, true, null);
      -- Waits for the append under way. Those that wait behind this find no journal.
      select h.sequence into ended from daybook.journal_heads h where h.project_id = doomed for update;
      select p.name into doomed_name from daybook.projects p where p.id = doomed for update;
      if not found then return false; end if;
      insert into daybook.deleted_projects (project_id, deleted_by, events) values (doomed, asked_by, coalesce(ended, 0));
      stranded := array(
        select k.id from daybook.api_keys k
        where not k.all_projects and exists (
          select from daybook.api_key_projects p where p.key_id = k.id and p.project_id = doomed)
        and not exists (
          select from daybook.api_key_projects p where p.key_id = k.id and p.project_id <> doomed));
      update daybook.api_keys k set revoked_at = now()
      where k.id = any(stranded) and not k.admin and k.revoked_at is null;
      delete from daybook.journal_heads where project_id = doomed;
      delete from daybook.self_checks where project_id = doomed;
      delete from daybook.project_usage where project_id = doomed;
      delete from daybook.projects where id = doomed;
      stranded := array(select k.id from daybook.api_keys k where k.id = any(stranded) and k.admin);
      if doomed_name = 'default' or cardinality(stranded) > 0 then
        insert into daybook.projects (id, name) values (new_default, 'default') on conflict (name) do nothing;
        insert into daybook.journal_heads (project_id)
        select p.id from daybook.projects p where p.name = 'default' on conflict do nothing;
        insert into daybook.api_key_projects
        select given.id, p.id from unnest(stranded) given(id), daybook.projects p where p.name = 'default';
      end if;
      return true;
    end`,
  )
}

/**
 * The only way in which events and keys of requests are deleted, some at a time, and only those of a project whose
 * deletion has begun.
 */
async function removeJournals(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function daybook.require_doomed(doomed uuid) returns void
    language plpgsql set search_path = pg_catalog, pg_temp as $$
    declare bound text := current_setting('daybook.project', true);
    begin
      if bound is distinct from '*' and bound is distinct from doomed::text then
        raise exception 'the session is bound to another project' using errcode = 'insufficient_privilege';
      end if;
      perform from daybook.deleted_projects d where d.project_id = doomed;
      if not found then
        raise exception 'the project is not being deleted' using errcode = 'insufficient_privilege';
      end if;
    end $$`.execute(db)
  await sql`revoke all on function daybook.require_doomed from public`.execute(db)
  await makeOwnerFunction(
    db,
    'delete_project_events(doomed uuid, from_sequence bigint, to_sequence bigint)',
    'bigint',
    sql`
    declare gone bigint;
    begin
      perform daybook.require_doomed(doomed);
      delete from daybook.events where project_id = doomed and sequence between from_sequence and to_sequence;
      get diagnostics gone = row_count;
      return gone;
    end`,
  )
  await makeOwnerFunction(
    db,
    'delete_project_requests(doomed uuid, most bigint)',
    'bigint',
    sql`
    declare gone bigint;
    begin
      perform daybook.require_doomed(doomed);
      delete from daybook.idempotency_keys where ctid = any(array(
        select k.ctid from daybook.idempotency_keys k where k.project_id = doomed limit most));
      get diagnostics gone = row_count;
      return gone;
    end`,
  )
  await makeOwnerFunction(
    db,
    'finish_project_deletion(doomed uuid)',
    'void',
    sql`
    begin
      perform daybook.require_doomed(doomed);
      delete from daybook.relay_positions where project_id = doomed;
      delete from daybook.project_usage where project_id = doomed;
      -- A process that looked for late vectors just now may have taken a lease again.
      delete from daybook.positions where project_id = doomed;
      update daybook.free_space set erased_at = clock_timestamp();
      update daybook.deleted_projects set finished_at = clock_timestamp()
      where project_id = doomed and finished_at is null;
    end`,
  )
}
