import { type Kysely, sql } from 'kysely'
import { makeOwnerFunction } from '../../project-scope.ts'
import { makeTable } from './make-table.ts'

/**
 * Keys, how far they are trusted, and quarantines of writers. The application may read no key's hash, since with one it could act
 * as the key. Functions of the owner do what it may not, for a caller who shows the hash of an administrator's key, which the
 * application has while it answers the administrator's request. The key in question may open nothing that the
 * administrator does not administer.
 *
 * Neither trust nor a quarantine is written into memories: both are looked up when memories are read, so that one row
 * changes them for all that a key ever wrote. Neither is an event: an event is about one memory and lasts as long as
 * the journal, goes into exports and to other Daybooks, where the key means nothing; a quarantine is about a key, is
 * decided by an operator, and ends. Its row stays as the record of who decided what, when and why.
 */
export async function makeKeys(db: Kysely<unknown>): Promise<void> {
  await makeTable(
    db,
    'api_keys',
    { rights: null, projectColumn: null },
    sql`
    id uuid primary key,
    key_hash bytea not null unique,
    name text not null,
    created_at timestamptz not null default now(),
    admin boolean not null default false,
    revoked_at timestamptz,
    expires_at timestamptz,
    prefix text,
    scopes text[] not null default '{read,write}',
    all_projects boolean not null default false,
    last_used_at timestamptz,
    replaced_by uuid references daybook.api_keys,
    constraint known_scopes check (scopes <@ '{read,write,follow,admin}' and cardinality(scopes) > 0),
    constraint admin_of_all check (
      case when all_projects then admin = ('admin' = any(scopes)) else not admin or 'admin' = any(scopes) end)`,
  )
  await sql`
    grant select (id, name, prefix, scopes, all_projects, admin, created_at, expires_at, revoked_at, last_used_at,
      replaced_by), update (last_used_at) on daybook.api_keys to daybook_app`.execute(db)
  await makeTable(
    db,
    'api_key_projects',
    { rights: 'select' },
    sql`
    key_id uuid not null references daybook.api_keys on delete cascade,
    project_id uuid not null references daybook.projects on delete cascade,
    primary key (key_id, project_id)`,
  )
  await sql`create index on daybook.api_key_projects (project_id)`.execute(db)
  // That table has the usual policy, so a session that is bound to a project sees the keys of that project.
  await sql`alter table daybook.api_keys enable row level security, force row level security`.execute(db)
  await sql`
    create policy own_project on daybook.api_keys using (
      (select current_setting('daybook.project', true)) = '*'
      or id in (select key_id from daybook.api_key_projects))`.execute(db)
  // Keys that are not there are trusted as usual (`@daybook/memory/trust`). No project: trust is a property of a key.
  await makeTable(
    db,
    'key_trust',
    { rights: 'select', projectColumn: null },
    sql`
    key_id uuid primary key references daybook.api_keys on delete cascade,
    trust text not null check (trust in ('low', 'high'))`,
  )
  await makeTable(
    db,
    'quarantines',
    { rights: 'select' },
    sql`
    id uuid primary key,
    project_id uuid references daybook.projects on delete cascade,
    key_ids uuid[] not null default '{}',
    agent text,
    reason text not null,
    began_at timestamptz not null default now(),
    began_by text not null,
    released_at timestamptz,
    released_by text,
    release_reason text,
    of_home boolean not null default false,
    check (cardinality(key_ids) > 0 or agent is not null),
    check (agent is null or project_id is not null)`,
  )
  await sql`create index on daybook.quarantines (project_id) where released_at is null`.execute(db)
  // Those of all projects hold in each.
  await sql`
    create policy of_all_projects on daybook.quarantines for select using (project_id is null)`.execute(db)
  await findKeys(db)
  await administer(db)
  await manageKeys(db)
  await replaceEmptyProject(db)
  await quarantineWriters(db)
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

/** What only the other functions call. */
async function administer(db: Kysely<unknown>): Promise<void> {
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
  // A key and those that it was rotated to or from: one holder.
  await sql`
    create function daybook.rotations_of(target uuid) returns uuid[]
    language sql stable set search_path = pg_catalog, pg_temp as $$
      with recursive later(id, replaced_by) as (
        select k.id, k.replaced_by from daybook.api_keys k where k.id = target
        union select k.id, k.replaced_by from daybook.api_keys k join later l on k.id = l.replaced_by
      ), earlier(id) as (
        select target union select k.id from daybook.api_keys k join earlier e on k.replaced_by = e.id
      )
      select array_agg(id order by id) from (select id from later union select id from earlier) one
    $$`.execute(db)
  await sql`revoke all on function daybook.rotations_of from public`.execute(db)
}

/** A new key is trusted as the one that it was rotated from, and shares its quarantines. */
async function manageKeys(db: Kysely<unknown>): Promise<void> {
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
    'rotate_api_key(acting bytea, old_id uuid, made_id uuid, made_hash bytea, made_prefix text, grace interval)',
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
      insert into daybook.key_trust select made_id, t.trust from daybook.key_trust t where t.key_id = old_id;
      update daybook.quarantines q set key_ids = q.key_ids || made_id
      where q.released_at is null and old_id = any(q.key_ids);
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
  await makeOwnerFunction(
    db,
    'set_key_trust(acting bytea, target uuid, level text)',
    'void',
    sql`
    begin
      perform daybook.require_administrator_of(acting, target);
      delete from daybook.key_trust t where t.key_id = any(daybook.rotations_of(target));
      if level <> 'normal' then
        insert into daybook.key_trust select unnest(daybook.rotations_of(target)), level;
      end if;
    end`,
  )
}

/**
 * The first start makes a project `default`. An imported project of that name has another id, which its
 * events and hashes contain. It replaces the empty project and takes over its keys.
 */
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

async function quarantineWriters(db: Kysely<unknown>): Promise<void> {
  await makeOwnerFunction(
    db,
    `quarantine_writer(acting bytea, made_id uuid, of_project uuid, of_key uuid, of_agent text, why text)`,
    'boolean',
    sql`
    declare
      -- A key of another Daybook, whose journal was imported, has no rotations here.
      keys uuid[] := case when of_key is null then '{}' else daybook.rotations_of(of_key) end;
    begin
      perform daybook.require_administrator(acting, of_project is null,
        case when of_project is null then '{}' else array[of_project] end);
      -- Nobody could release it: it may write nothing.
      if exists (select from daybook.api_keys k where k.key_hash = acting and k.id = any(keys)) then return false; end if;
      insert into daybook.quarantines (id, project_id, key_ids, agent, reason, began_by)
      select made_id, of_project, keys, of_agent, why, k.name from daybook.api_keys k where k.key_hash = acting;
      return true;
    end`,
  )
  await makeOwnerFunction(
    db,
    'release_quarantine(acting bytea, target uuid, why text)',
    'boolean',
    sql`
    declare one daybook.quarantines;
    begin
      select * into one from daybook.quarantines q where q.id = target for update;
      if not found then return false; end if;
      perform daybook.require_administrator(acting, one.project_id is null,
        case when one.project_id is null then '{}' else array[one.project_id] end);
      if exists (select from daybook.api_keys k where k.key_hash = acting and k.id = any(one.key_ids)) then
        raise exception 'a key cannot release itself' using errcode = 'insufficient_privilege';
      end if;
      if one.released_at is not null then return false; end if;
      update daybook.quarantines q set released_at = now(), release_reason = why,
        released_by = (select k.name from daybook.api_keys k where k.key_hash = acting)
      where q.id = target;
      return true;
    end`,
  )
}
