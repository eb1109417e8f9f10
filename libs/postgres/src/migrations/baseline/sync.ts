import { type Kysely, sql } from 'kysely'
import { makeOwnerFunction } from '../../project-scope.ts'
import { ALL_RIGHTS, makeTable } from './make-table.ts'

/** Projects that follow a home (`@daybook/sync`), their branches and conflicts; on the home, who follows. */
export async function makeSync(db: Kysely<unknown>): Promise<void> {
  // `home_key` opens the project at its home. It is as secret as the daemon's own key, and no API shows it. `may_go_back`: below
  // what the home has confirmed, once, because a person said so, or the home was lost and handed over.
  await makeTable(
    db,
    'followed_projects',
    { rights: ALL_RIGHTS },
    sql`
    project_id uuid primary key references daybook.projects on delete cascade,
    home_url text not null,
    home_key text not null,
    follower_id uuid not null,
    followed_since timestamptz not null default clock_timestamp(),
    paused boolean not null default false,
    rule text not null default 'LATEST_WINS' check (rule in ('LATEST_WINS', 'ASK')),
    state text not null default 'OFFLINE',
    problem text,
    copied bigint not null,
    copied_hash bytea not null,
    home_sequence bigint not null default 0,
    caught_up_at timestamptz,
    moved_to text,
    taking_epoch integer,
    own_url text,
    own_key text,
    branch_position bigint not null default 0,
    branch_hash bytea not null default decode(repeat('00', 32), 'hex'),
    lease_owner text,
    leased_until timestamptz,
    may_go_back boolean not null default false`,
  )
  // Commands that their home has not decided yet, in the order in which they were given; and those that it refused, or
  // decided on another version than their writer saw.
  await makeTable(
    db,
    'branch_commands',
    { rights: ALL_RIGHTS },
    sql`
    project_id uuid not null references daybook.projects on delete cascade,
    position bigint not null,
    idempotency_key text not null,
    memory_id uuid not null,
    command jsonb not null,
    metadata jsonb not null,
    base_version integer,
    rests_on_previous boolean not null default true,
    request_hash bytea,
    written_at timestamptz not null,
    hash bytea not null,
    sequence bigint,
    primary key (project_id, position),
    unique (project_id, idempotency_key)`,
  )
  await sql`create index on daybook.branch_commands (project_id, memory_id)`.execute(db)
  await makeTable(
    db,
    'branch_receipts',
    { rights: 'select, insert, delete' },
    sql`
    project_id uuid not null references daybook.projects on delete cascade,
    hash bytea not null,
    written_at timestamptz not null default clock_timestamp(),
    primary key (project_id, hash)`,
  )
  await makeTable(
    db,
    'sync_conflicts',
    { rights: ALL_RIGHTS },
    sql`
    id uuid primary key,
    project_id uuid not null references daybook.projects on delete cascade,
    memory_id uuid not null,
    idempotency_key text not null,
    command jsonb not null,
    metadata jsonb not null,
    base_version integer,
    home_version integer,
    code text not null,
    problem text not null,
    written_at timestamptz not null,
    found_at timestamptz not null default clock_timestamp(),
    resolution text,
    resolved_at timestamptz,
    resolved_by text,
    unique (project_id, idempotency_key)`,
  )
  await sql`create index on daybook.sync_conflicts (project_id, memory_id) where resolved_at is null`.execute(
    db,
  )
  // On the home: who follows, how far, and when it was last heard. And where the project had its home before, until that one
  // has been told.
  await makeTable(
    db,
    'followers',
    { rights: ALL_RIGHTS },
    sql`
    project_id uuid not null references daybook.projects on delete cascade,
    follower_id uuid not null,
    key_id uuid not null,
    name text not null,
    sequence bigint not null,
    seen_at timestamptz not null default clock_timestamp(),
    primary key (project_id, follower_id)`,
  )
  await makeTable(
    db,
    'former_homes',
    { rights: ALL_RIGHTS },
    sql`
    project_id uuid primary key references daybook.projects on delete cascade,
    url text not null,
    key text not null,
    own_url text not null,
    own_key text not null,
    epoch integer not null,
    problem text`,
  )
  await dropEvents(db)
  await removeCopies(db)
  await mirrorQuarantines(db)
}

/**
 * Takes the end from a copy: the branch's own events before the home's are added, or what the home does not have. Only of
 * a journal that follows another. Readers that have passed the place where it ends now are noted there, so that they
 * go back no further than they must.
 */
async function dropEvents(db: Kysely<unknown>): Promise<void> {
  await makeOwnerFunction(
    db,
    'drop_copied_events(project uuid, after_sequence bigint)',
    'bigint',
    sql`
    declare
      bound text := current_setting('daybook.project', true);
      ends_with bytea := decode(repeat('00', 32), 'hex');
      gone bigint;
    begin
      if bound is distinct from '*' and bound is distinct from project::text then
        raise exception 'the session is bound to another project' using errcode = 'insufficient_privilege';
      end if;
      perform from daybook.journal_heads h where h.project_id = project and h.followed for update;
      if not found then
        raise exception 'only the end of a copy can be dropped' using errcode = 'insufficient_privilege';
      end if;
      if after_sequence > 0 then
        select e.hash into strict ends_with from daybook.events e
        where e.project_id = project and e.sequence = after_sequence;
      end if;
      insert into daybook.checkpoints (reader, generation, project_id, slot, number, sequence, hash)
      select p.reader, p.generation, project, next.number & -next.number, next.number, after_sequence, ends_with
      from (
        select projection as reader, generation, position as sequence, hash from daybook.positions where project_id = project
        union all
        select 'relay', 0, published, hash from daybook.relay_positions where project_id = project
      ) p
      join daybook.events e on e.project_id = project and e.sequence = p.sequence and e.hash = p.hash
      cross join lateral (
        select coalesce(max(c.number), 0) + 1 as number from daybook.checkpoints c
        where c.reader = p.reader and c.generation = p.generation and c.project_id = project) next
      where p.sequence > after_sequence and after_sequence > 0
      on conflict (reader, generation, project_id, slot) do update set
        number = excluded.number, sequence = excluded.sequence, hash = excluded.hash, noted_at = excluded.noted_at;
      update daybook.project_usage u set
        bytes = u.bytes - (
          select coalesce(sum(octet_length(e.data::text)), 0) from daybook.events e
          where e.project_id = project and e.sequence > after_sequence),
        memories = u.memories - (
          select coalesce(sum((of_now.is_there)::int - coalesce((of_then.is_there)::int, 0)), 0)
          from (
            select distinct on (e.memory_id) e.memory_id,
              e.type not in ('MemoryForgotten', 'MemoryExpired', 'MemoryErased') as is_there
            from daybook.events e where e.project_id = project and e.sequence > after_sequence
            order by e.memory_id, e.version desc) of_now
          left join lateral (
            select e.type not in ('MemoryForgotten', 'MemoryExpired', 'MemoryErased') as is_there
            from daybook.events e
            where e.project_id = project and e.memory_id = of_now.memory_id and e.sequence <= after_sequence
            order by e.version desc limit 1) of_then on true)
      where u.project_id = project;
      delete from daybook.idempotency_keys k using daybook.branch_commands b
      where k.project_id = project and b.project_id = project and b.idempotency_key = k.idempotency_key;
      delete from daybook.idempotency_keys k using daybook.events e
      where k.project_id = project and e.project_id = project and e.sequence > after_sequence
        and k.memory_id = e.memory_id and k.version = e.version;
      delete from daybook.events e where e.project_id = project and e.sequence > after_sequence;
      get diagnostics gone = row_count;
      update daybook.journal_heads h set sequence = after_sequence, hash = ends_with where h.project_id = project;
      update daybook.followed_projects f set copied = after_sequence, copied_hash = ends_with
      where f.project_id = project and f.copied > after_sequence;
      return gone;
    end`,
  )
}

/** A copy is removed like a project that is deleted, but it may be followed again: its home has it. */
async function removeCopies(db: Kysely<unknown>): Promise<void> {
  await makeOwnerFunction(
    db,
    'begin_copy_removal(acting bytea, doomed uuid, asked_by text, new_default uuid)',
    'boolean',
    sql`
    declare followed boolean := exists (select from daybook.followed_projects f where f.project_id = doomed);
    begin
      if not daybook.begin_project_deletion(acting, doomed, asked_by, new_default) then return false; end if;
      update daybook.deleted_projects d set of_home = followed where d.project_id = doomed;
      return true;
    end`,
  )
  await makeOwnerFunction(
    db,
    'forget_removed_copy(project uuid)',
    'boolean',
    sql`
    begin
      delete from daybook.deleted_projects d where d.project_id = project and d.of_home and d.finished_at is not null;
      return found;
    end`,
  )
}

/** Quarantines of a followed project are its home's, so that nothing that is withheld there is shown here. */
async function mirrorQuarantines(db: Kysely<unknown>): Promise<void> {
  await makeOwnerFunction(
    db,
    'mirror_quarantines(project uuid, given jsonb)',
    'void',
    sql`
    declare bound text := current_setting('daybook.project', true);
    begin
      if bound is distinct from '*' and bound is distinct from project::text then
        raise exception 'the session is bound to another project' using errcode = 'insufficient_privilege';
      end if;
      perform from daybook.followed_projects f where f.project_id = project;
      if not found then
        raise exception 'the project follows no home' using errcode = 'insufficient_privilege';
      end if;
      delete from daybook.quarantines q where q.project_id = project and q.of_home;
      insert into daybook.quarantines (id, project_id, key_ids, agent, reason, began_at, began_by, of_home)
      select g.id, project, g."keyIds", g.agent, g.reason, g."beganAt", g."beganBy", true
      from jsonb_to_recordset(given) as g(id uuid, "keyIds" uuid[], agent text, reason text, "beganAt" timestamptz,
        "beganBy" text)
      on conflict (id) do nothing;
    end`,
  )
}
