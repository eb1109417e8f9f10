import { type Kysely, type RawBuilder, sql } from 'kysely'
import { makeOwnerFunction } from '../../project-scope.ts'
import { makeTable } from './make-table.ts'

/** Projects with their limits and what they hold, and the journal. */
export async function makeJournal(db: Kysely<unknown>): Promise<void> {
  // `language`: the text search configuration of Postgres that makes lexemes of the project's texts.
  await makeTable(
    db,
    'projects',
    { rights: 'select, insert', projectColumn: 'id' },
    sql`
    id uuid primary key,
    name text not null unique,
    created_at timestamptz not null default now(),
    language text not null default 'english',
    max_memories bigint check (max_memories >= 0),
    max_bytes bigint check (max_bytes >= 0),
    max_requests_per_second integer check (max_requests_per_second > 0),
    max_queued_texts integer check (max_queued_texts >= 0)`,
  )
  await sql`
    grant update (name, language, max_memories, max_bytes, max_requests_per_second, max_queued_texts)
    on daybook.projects to daybook_app`.execute(db)
  // One row per project: its lock, and the last place given out under it. `epoch` says how often another daemon has become the
  // project's home; `followed`, whether the journal is a copy, to which only its home's events are added.
  await makeTable(
    db,
    'journal_heads',
    { rights: 'select' },
    sql`
    project_id uuid primary key references daybook.projects,
    sequence bigint not null default 0,
    last_recorded_at timestamptz not null default '-infinity',
    hash bytea not null default decode(repeat('00', 32), 'hex'),
    epoch integer not null default 1 check (epoch > 0),
    followed boolean not null default false`,
  )
  await sql`
    grant insert (project_id, last_recorded_at), update (sequence, hash, last_recorded_at, epoch, followed)
    on daybook.journal_heads to daybook_app`.execute(db)
  // No foreign key to projects: an append holds the project's journal_heads row, which has one. Checking it again for every event
  // would only cost time. Append-only by its rights: the application cannot change or remove what it wrote. An erasure takes
  // data and salt.
  await makeTable(
    db,
    'events',
    { rights: 'select, insert' },
    sql`
    project_id uuid not null,
    sequence bigint not null check (sequence > 0),
    event_id uuid not null unique,
    memory_id uuid not null,
    version integer not null check (version > 0),
    type text not null,
    schema_version integer not null,
    data jsonb,
    recorded_at timestamptz not null,
    actor text,
    correlation_id text,
    causation_id text,
    traceparent text,
    data_hash bytea not null,
    hash bytea not null,
    data_salt bytea check (octet_length(data_salt) = 16),
    identity_hash bigint generated always as (${IDENTITY_HASH}) stored,
    epoch integer not null default 1 check (epoch > 0),
    primary key (project_id, sequence),
    unique (project_id, memory_id, version),
    constraint erased_with_salt check ((data is null) = (data_salt is null))`,
  )
  // Few rows or none, so this index for a memory's erased events costs other events nothing.
  await sql`
    create index events_erased on daybook.events (project_id, memory_id, version) where data is null`.execute(
    db,
  )
  await sql`
    create index events_identity_idx on daybook.events (project_id, identity_hash, sequence)
    where identity_hash is not null`.execute(db)
  // The hash of a request goes when its memory is erased: it reveals a short text just as an event's hash does.
  await makeTable(
    db,
    'idempotency_keys',
    { rights: 'select, insert' },
    sql`
    project_id uuid not null,
    idempotency_key text not null,
    request_hash bytea,
    memory_id uuid not null,
    version integer not null,
    primary key (project_id, idempotency_key)`,
  )
  // Serves exports, which look up the keys of events.
  await sql`
    create index idempotency_keys_of_version on daybook.idempotency_keys (memory_id, version)`.execute(db)
  await guardHeads(db)
  await countUsage(db)
  await eraseMemories(db)
}

const text = (path: RawBuilder<unknown>) => sql`coalesce(data->'state'${path}, '')`
const withLength = (word: RawBuilder<unknown>) => sql`char_length(${word}) || ':' || (${word})`

const CONTEXT = withLength(text(sql`->>'context'`))
const content = (field: string) => sql`data->'state'->'content'->>${sql.lit(field)}`

/** Null if the key is: in SQL, whatever is joined with null is null. */
const named = (kind: string, key: string) => sql`${withLength(sql.lit(kind))} || ${withLength(content(key))}`

/**
 * A hash of `identityKeyOf` (libs/memory/src/existing/on-existing.ts), of the events that changed something in
 * it; null of all others. So a key that is remembered again and again has one entry, not one for each version.
 */
const IDENTITY_HASH = sql`
  case when data->'changed' ?| array['content.key', 'content.name', 'content.topic', 'content.type',
    'content.externalId', 'context', 'part'] then hashtextextended(
    case
      when data->'state'->'part'->>'number' <> '1' then
        '4:part' || ${withLength(text(sql`->'part'->>'document'`))} || ${withLength(text(sql`->'part'->>'number'`))}
      when data->'state'->>'kind' = 'insight' then ${named('insight', 'key')} || ${CONTEXT}
      when data->'state'->>'kind' = 'stash' then ${named('stash', 'name')} || ${CONTEXT}
      when data->'state'->>'kind' = 'decision' then ${named('decision', 'topic')} || ${CONTEXT}
      when data->'state'->>'kind' = 'entity' then ${named('entity', 'name')} || ${CONTEXT}
        || ${withLength(text(sql`->'content'->>'type'`))}
      when data->'state'->>'kind' = 'document' then ${named('document', 'externalId')} || '0:'
    end, 0) end`

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
  await sql`
    create function daybook.guard_epoch() returns trigger
    language plpgsql set search_path = pg_catalog, pg_temp as $$
    begin
      if new.epoch < old.epoch then
        raise exception 'the epoch of a journal never goes back (% to %)', old.epoch, new.epoch
          using errcode = 'insufficient_privilege';
      end if;
      return new;
    end $$`.execute(db)
  await sql`
    create trigger guard_epoch before update of epoch on daybook.journal_heads
    for each row execute function daybook.guard_epoch()`.execute(db)
}

/**
 * What projects hold. A trigger counts, so that nothing that writes events can forget to, and refuses what exceeds a limit. The
 * caller holds the journal's lock, so the count is exact. What makes a project smaller is never refused. It costs an append one
 * row's update.
 */
async function countUsage(db: Kysely<unknown>): Promise<void> {
  // No foreign key, as in events.
  await makeTable(
    db,
    'project_usage',
    { rights: 'select' },
    sql`
    project_id uuid primary key,
    memories bigint not null,
    bytes bigint not null`,
  )
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

/**
 * The one way in which content leaves the journal: a function of the owner, because the application may not change
 * events. It takes only memories whose newest event says that they are erased, so that there is always a trace, and
 * only of the project that the session is bound to: row level security may not bind the owner.
 */
async function eraseMemories(db: Kysely<unknown>): Promise<void> {
  await makeOwnerFunction(
    db,
    'erase_memories(project uuid, memory_ids uuid[])',
    'bigint',
    sql`
    declare
      bound text := current_setting('daybook.project', true);
      erased bigint;
    begin
      if bound is distinct from '*' and bound is distinct from project::text then
        raise exception 'the session is bound to another project' using errcode = 'insufficient_privilege';
      end if;
      if exists (
        select from unnest(memory_ids) as given(id) where (
          select type <> 'MemoryErased' or data is not null from daybook.events
          where project_id = project and memory_id = given.id order by version desc limit 1
        ) is distinct from false
      ) then
        raise exception 'a memory is erased only after an event that says so' using errcode = 'insufficient_privilege';
      end if;
      update daybook.project_usage u set bytes = u.bytes - (
        select coalesce(sum(octet_length(e.data::text)), 0) from daybook.events e
        where e.project_id = project and e.memory_id = any(memory_ids))
      where u.project_id = project;
      update daybook.events set data = null, data_salt = null
      where project_id = project and memory_id = any(memory_ids) and (data is not null or data_salt is not null);
      get diagnostics erased = row_count;
      update daybook.idempotency_keys set request_hash = null
      where project_id = project and memory_id = any(memory_ids) and request_hash is not null;
      return erased;
    end`,
  )
}
