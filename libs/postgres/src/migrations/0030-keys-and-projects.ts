import { type Kysely, sql } from 'kysely'
import { raiseMinimum } from '../compatibility.ts'
import { makeOwnerFunction } from '../owner-function.ts'
import { secureRows } from '../row-security.ts'

/**
 * Keys with scopes, of one project, of several or of all; limits and usage of projects.
 *
 * Breaking: the previous version does not know scopes, so that a key for reading could write there. It also
 * looks keys up itself, and the application may no longer read their hashes: with one it could act as the key
 * (`make_api_key`). Existing keys stay valid: they read and write their project.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await addScopes(db)
  await sql`drop function daybook.replace_empty_project`.execute(db)
  await replaceEmptyProject(db)
  await findKeys(db)
  await manageKeys(db)
  await countUsage(db)
  await raiseMinimum(db as never, { reader: 2 })
}

async function addScopes(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table daybook.api_key_projects (
      key_id uuid not null references daybook.api_keys on delete cascade,
      project_id uuid not null references daybook.projects on delete cascade,
      primary key (key_id, project_id)
    )`.execute(db)
  await sql`create index on daybook.api_key_projects (project_id)`.execute(db)
  await sql`insert into daybook.api_key_projects select id, project_id from daybook.api_keys`.execute(db)
  await secureRows(db, sql.table('daybook.api_key_projects'))
  await sql`drop policy own_project on daybook.api_keys`.execute(db)
  await sql`
    alter table daybook.api_keys
      drop column project_id,
      add column prefix text,
      add column scopes text[] not null default '{read,write}'
        check (scopes <@ '{read,write,admin}' and cardinality(scopes) > 0),
      add column all_projects boolean not null default false,
      add column last_used_at timestamptz,
      add column replaced_by uuid references daybook.api_keys`.execute(db)
  await sql`update daybook.api_keys set scopes = '{read,write,admin}' where admin`.execute(db)
  await sql`
    alter table daybook.api_keys add constraint admin_of_all
      check (case when all_projects then admin = ('admin' = any(scopes)) else not admin or 'admin' = any(scopes) end)`.execute(
    db,
  )
  // The other table has the usual policy, so a session that is bound to a project sees the keys of that project.
  await sql`
    create policy own_project on daybook.api_keys using (
      (select current_setting('daybook.project', true)) = '*'
      or id in (select key_id from daybook.api_key_projects))`.execute(db)
  await sql`revoke select on daybook.api_keys from daybook_app`.execute(db)
  await sql`
    grant select (id, name, prefix, scopes, all_projects, admin, created_at, expires_at, revoked_at, last_used_at,
      replaced_by), update (last_used_at) on daybook.api_keys to daybook_app`.execute(db)
  await sql`grant select on daybook.api_key_projects to daybook_app`.execute(db)
}

/** As 0007 made it, for keys that open several projects. */
async function replaceEmptyProject(db: Kysely<unknown>): Promise<void> {
  await makeOwnerFunction(
    db,
    'replace_empty_project(empty_id uuid, new_id uuid)',
    'boolean',
    sql`
    declare taken daybook.projects;
    begin
      -- Waits for an append under way; those that wait behind this find no journal.
      perform from daybook.journal_heads where project_id = empty_id and sequence = 0 for update;
      if not found then return false; end if;
      select * into taken from daybook.projects where id = empty_id;
      update daybook.projects set name = 'replaced ' || empty_id where id = empty_id;
      insert into daybook.projects (id, name, max_memories, max_bytes, max_requests_per_second, max_queued_texts)
      values (new_id, taken.name, taken.max_memories, taken.max_bytes, taken.max_requests_per_second,
        taken.max_queued_texts);
      insert into daybook.journal_heads (project_id) values (new_id);
      update daybook.api_key_projects set project_id = new_id where project_id = empty_id;
      delete from daybook.journal_heads where project_id = empty_id;
      delete from daybook.projects where id = empty_id;
      return true;
    end`,
  )
}

/**
 * Limits of projects, and what they hold. A trigger counts, so that nothing that writes events can forget to,
 * and refuses what exceeds a limit. The caller holds the journal's lock, so the count is exact. What makes a
 * project smaller is never refused. It costs an append one row's update.
 */
async function countUsage(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table daybook.projects
      add column max_memories bigint check (max_memories >= 0),
      add column max_bytes bigint check (max_bytes >= 0),
      add column max_requests_per_second integer check (max_requests_per_second > 0),
      add column max_queued_texts integer check (max_queued_texts >= 0)`.execute(db)
  await sql`
    grant update (name, max_memories, max_bytes, max_requests_per_second, max_queued_texts)
    on daybook.projects to daybook_app`.execute(db)
  // No foreign key, as in events: the journal's head has one.
  await sql`
    create table daybook.project_usage (
      project_id uuid primary key,
      memories bigint not null,
      bytes bigint not null
    )`.execute(db)
  await secureRows(db, sql.table('daybook.project_usage'))
  await sql`grant select on daybook.project_usage to daybook_app`.execute(db)
  await sql`
    insert into daybook.project_usage
    select project_id, (
      select count(*) from (
        select distinct on (memory_id) type from daybook.events of_memory
        where of_memory.project_id = all_events.project_id order by memory_id, version desc) as last
      where type not in ('MemoryForgotten', 'MemoryExpired')
    ), coalesce(sum(octet_length(data::text)), 0)
    from daybook.events all_events group by project_id`.execute(db)
  await sql`
    create function daybook.count_usage() returns trigger
    language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
    declare
      more record;
      now_used record;
      most record;
    begin
      for more in
        select a.project_id, bool_or(a.type not in ('MemoryForgotten', 'MemoryExpired', 'MemoryErased')) as grows,
          coalesce(sum(octet_length(a.data::text)), 0) as bytes,
          sum(case a.type when 'MemoryRemembered' then 1 when 'MemoryForgotten' then -1 when 'MemoryExpired' then -1
            -- A restored memory may have been there, as a later version.
            when 'MemoryRestored' then (
              select count(*) from daybook.events b
              where b.project_id = a.project_id and b.memory_id = a.memory_id and b.version = a.version - 1
                and b.type in ('MemoryForgotten', 'MemoryExpired'))
            when 'MemoryErased' then -(
              select count(*) from daybook.events b
              where b.project_id = a.project_id and b.memory_id = a.memory_id and b.version = a.version - 1
                and b.type not in ('MemoryForgotten', 'MemoryExpired'))
            else 0 end) as memories
        from added a group by a.project_id
      loop
        insert into daybook.project_usage as u values (more.project_id, more.memories, more.bytes)
        on conflict (project_id) do update set memories = u.memories + excluded.memories,
          bytes = u.bytes + excluded.bytes
        returning memories, bytes into now_used;
        select max_memories, max_bytes into most from daybook.projects where id = more.project_id;
        if more.memories > 0 and now_used.memories > most.max_memories then
          raise exception 'the project would hold % memories', now_used.memories using errcode = 'check_violation',
            constraint = 'project_limit', detail = 'memories ' || most.max_memories;
        end if;
        if more.grows and now_used.bytes > most.max_bytes then
          raise exception 'the project would hold % bytes', now_used.bytes using errcode = 'check_violation',
            constraint = 'project_limit', detail = 'bytes ' || most.max_bytes;
        end if;
      end loop;
      return null;
    end $$`.execute(db)
  await sql`revoke all on function daybook.count_usage from public`.execute(db)
  await sql`
    create trigger count_usage after insert on daybook.events referencing new table as added
    for each statement execute function daybook.count_usage()`.execute(db)
}

/** The application shows the hash of a key and gets what the key opens, also of one that has ended. */
async function findKeys(db: Kysely<unknown>): Promise<void> {
  await makeOwnerFunction(
    db,
    'find_api_key(given_hash bytea)',
    `table (id uuid, name text, scopes text[], admin boolean, project_ids uuid[], ended text)`,
    sql`
    begin
      return query select k.id, k.name, k.scopes, k.admin,
        case when not k.all_projects then array(
          select p.project_id from daybook.api_key_projects p where p.key_id = k.id order by p.project_id) end,
        case when k.revoked_at is not null then 'revoked' when k.expires_at <= now() then 'expired' end
      from daybook.api_keys k where k.key_hash = given_hash;
    end`,
  )
}

/**
 * Making, rotating and revoking keys. The application may do it only with the hash of an administrator's key,
 * which it has while it answers the administrator's request, and cannot read anywhere. The key in question may
 * open nothing that the administrator does not administer.
 */
async function manageKeys(db: Kysely<unknown>): Promise<void> {
  // Nobody but the owner calls this one.
  await sql`
    create function daybook.require_administrator(acting bytea, whole boolean, of_projects uuid[]) returns void
    language plpgsql set search_path = pg_catalog, pg_temp as $$
    begin
      perform from daybook.api_keys k
      where k.key_hash = acting and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
        and 'admin' = any(k.scopes)
        and (k.admin or (not whole and cardinality(of_projects) > 0 and of_projects <@ array(
          select p.project_id from daybook.api_key_projects p where p.key_id = k.id)));
      if not found then
        raise exception 'the acting key does not administer what the key opens'
          using errcode = 'insufficient_privilege';
      end if;
    end $$`.execute(db)
  await sql`revoke all on function daybook.require_administrator from public`.execute(db)
  // Whole: it opens all projects, or runs the whole Daybook.
  await sql`
    create function daybook.require_administrator_of(acting bytea, target uuid) returns void
    language sql set search_path = pg_catalog, pg_temp as $$
      select daybook.require_administrator(acting, k.admin or k.all_projects, array(
        select p.project_id from daybook.api_key_projects p where p.key_id = k.id))
      from daybook.api_keys k where k.id = target
    $$`.execute(db)
  await sql`revoke all on function daybook.require_administrator_of from public`.execute(db)
  await makeOwnerFunction(
    db,
    `make_api_key(acting bytea, made_id uuid, made_hash bytea, made_prefix text, made_name text, made_scopes text[],
      of_projects uuid[], ends timestamptz)`,
    'void',
    sql`
    begin
      perform daybook.require_administrator(acting, of_projects is null, of_projects);
      insert into daybook.api_keys (id, key_hash, prefix, name, scopes, all_projects, admin, expires_at)
      values (made_id, made_hash, made_prefix, made_name, made_scopes, of_projects is null,
        of_projects is null and 'admin' = any(made_scopes), ends);
      insert into daybook.api_key_projects select made_id, unnest(of_projects);
    end`,
  )
  await makeOwnerFunction(
    db,
    `rotate_api_key(acting bytea, old_id uuid, made_id uuid, made_hash bytea, made_prefix text, grace interval)`,
    'boolean',
    sql`
    begin
      perform daybook.require_administrator_of(acting, old_id);
      -- Of two rotations at the same moment, the second finds the first one's successor.
      perform from daybook.api_keys k where k.id = old_id and k.revoked_at is null and k.replaced_by is null
        and (k.expires_at is null or k.expires_at > now()) for update;
      if not found then return false; end if;
      insert into daybook.api_keys (id, key_hash, prefix, name, scopes, all_projects, admin, expires_at)
      select made_id, made_hash, made_prefix, k.name, k.scopes, k.all_projects, k.admin, k.expires_at
      from daybook.api_keys k where k.id = old_id;
      insert into daybook.api_key_projects
      select made_id, p.project_id from daybook.api_key_projects p where p.key_id = old_id;
      update daybook.api_keys k set replaced_by = made_id, expires_at = least(k.expires_at, now() + grace)
      where k.id = old_id;
      return true;
    end`,
  )
  await makeOwnerFunction(
    db,
    'revoke_api_key(acting bytea, target uuid)',
    'void',
    sql`
    begin
      perform daybook.require_administrator_of(acting, target);
      update daybook.api_keys k set revoked_at = now() where k.id = target and k.revoked_at is null;
    end`,
  )
}
