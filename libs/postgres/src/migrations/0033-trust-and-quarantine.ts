import { type Kysely, sql } from 'kysely'
import { makeOwnerFunction } from '../owner-function.ts'
import { secureRows } from '../row-security.ts'

/**
 * How far keys are trusted, quarantines of writers, and the authors of each memory in the Postgres read model.
 *
 * Neither trust nor a quarantine is written into memories: both are looked up when memories are read, so that one row
 * changes them for all that a key ever wrote. Neither is an event: an event is about one memory and lasts as long as
 * the journal, goes into exports and to other Daybooks, where the key means nothing; a quarantine is about a key, is
 * decided by an operator, and ends. Its row stays as the record of who decided what, when and why.
 *
 * Compatible: the previous version shows what is quarantined. Memories are written anew, some 10 s for a million.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await trustOfKeys(db)
  await quarantines(db)
  await rotateWithStanding(db)
  await authorsInReadModel(db)
}

/** Keys that are not there are trusted as usual (`@daybook/memory/trust`). No project: trust is a property of a key. */
async function trustOfKeys(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table daybook.key_trust (
      key_id uuid primary key references daybook.api_keys on delete cascade,
      trust text not null check (trust in ('low', 'high'))
    )`.execute(db)
  await sql`grant select on daybook.key_trust to daybook_app`.execute(db)
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

async function quarantines(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table daybook.quarantines (
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
      check (cardinality(key_ids) > 0 or agent is not null),
      check (agent is null or project_id is not null)
    )`.execute(db)
  await sql`create index on daybook.quarantines (project_id) where released_at is null`.execute(db)
  await secureRows(db, sql.table('daybook.quarantines'))
  // Those of all projects hold in each.
  await sql`
    create policy of_all_projects on daybook.quarantines for select using (project_id is null)`.execute(db)
  await sql`grant select on daybook.quarantines to daybook_app`.execute(db)
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

/** As 0030 made it; the new key is trusted as the old one, and shares its quarantines. */
async function rotateWithStanding(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function daybook.rotate_api_key(
      acting bytea, old_id uuid, made_id uuid, made_hash bytea, made_prefix text, grace interval) returns boolean
    language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
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
    end $$`.execute(db)
}

const UUID = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'

/**
 * The authors as columns that Postgres makes from the state, and in the indexes that answer filters without rows. The
 * states that are there name no authors, so a rebuild would make the same.
 */
export async function authorsInReadModel(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ table: string }>`
    select format('%I.%I', schemaname, tablename) as table from pg_tables
    where tablename = 'memories' and schemaname in (
      select 'pgvector_' || generation from daybook.generations where projection = 'pgvector')`.execute(db)
  for (const { table } of rows) {
    const memories = sql.raw(table)
    const key = (author: string) => sql`
      case when state->${sql.lit(author)}->>'key' ~ ${sql.lit(UUID)} then (state->${sql.lit(author)}->>'key')::uuid end`
    await sql`
      alter table ${memories}
        add column writer uuid generated always as (${key('writtenBy')}) stored,
        add column editor uuid generated always as (${key('editedBy')}) stored,
        add column writer_agent text generated always as (state->'writtenBy'->>'agent') stored,
        add column editor_agent text generated always as (state->'editedBy'->>'agent') stored`.execute(db)
    const { rows: replaced } = await sql<{ index: string }>`
      select indexrelid::regclass::text as index from pg_index
      where indrelid = ${table}::regclass and (
        pg_get_indexdef(indexrelid) like '%filter_categories, importance%'
        or pg_get_indexdef(indexrelid) like '%(session, first_sequence)%')`.execute(db)
    for (const { index } of replaced) await sql`drop index ${sql.raw(index)}`.execute(db)
    await sql`
      create index on ${memories} (session, first_sequence)
      include (project_id, context, kind, memory_id, expires_at, forgotten, writer, editor)
      where session is not null and not forgotten`.execute(db)
    await sql`
      create index on ${memories} (project_id, forgotten)
      include (memory_id, number, kind, agent, filter_labels, filter_categories, importance, created_at,
        occurred_at, expires_at, writer, editor)`.execute(db)
  }
}
