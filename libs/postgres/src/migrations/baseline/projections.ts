import { type Kysely, sql } from 'kysely'
import { ALL_RIGHTS, ALL_RIGHTS_AND_EMPTY, makeTable } from './make-table.ts'

/** Bookkeeping of projections, of the relay and of long work; the embedding store with its queue; access counts; maps. */
export async function makeProjections(db: Kysely<unknown>): Promise<void> {
  await makeGenerations(db)
  await makePositions(db)
  await makeEmbeddings(db)
  await makeTypesense(db)
  await makeOperations(db)
  await makeTable(
    db,
    'memory_access',
    { rights: ALL_RIGHTS },
    sql`
    project_id uuid not null,
    memory_id uuid not null,
    accessed_at timestamptz not null,
    access_count integer not null,
    primary key (project_id, memory_id)`,
  )
  // Maps of memories by meaning (`@daybook/memory-map`): of each project and generation one, which goes with its generation. In
  // arrays, because a map is only ever written and read whole: 20,000 points are one row of half a megabyte. They hold ids and
  // places, nothing of what a memory says. It does not refer to its project, which goes before what it held.
  await makeTable(
    db,
    'memory_maps',
    { rights: ALL_RIGHTS_AND_EMPTY },
    sql`
    project_id uuid not null,
    projection text not null,
    generation int not null,
    sequence bigint not null,
    made_at timestamptz not null default now(),
    memory_ids uuid[] not null,
    xs real[] not null,
    ys real[] not null,
    primary key (project_id, projection, generation),
    foreign key (projection, generation) references daybook.generations on delete cascade,
    check (cardinality(memory_ids) = cardinality(xs) and cardinality(xs) = cardinality(ys))`,
  )
  await sql`create index on daybook.memory_maps (projection, generation)`.execute(db)
}

/**
 * `builder`: the token of the rebuild that makes a generation, so that one that stalled beyond its lease can no longer write it.
 * The last number is kept, because a number is never used again: a process that still means the old generation would write the
 * new one.
 */
async function makeGenerations(db: Kysely<unknown>): Promise<void> {
  await makeTable(
    db,
    'generations',
    { rights: ALL_RIGHTS, projectColumn: null },
    sql`
    projection text not null,
    generation integer not null check (generation > 0),
    status text not null check (status in ('building', 'following', 'live', 'old', 'dropping')),
    model_id text not null,
    dimension integer not null,
    created_at timestamptz not null default now(),
    retired_at timestamptz,
    builder text,
    layout_version integer not null default 1,
    unusable text,
    primary key (projection, generation)`,
  )
  // What queries go by: each projection has at most one live generation.
  await sql`
    create unique index one_live_generation on daybook.generations (projection) where status = 'live'`.execute(
    db,
  )
  await makeTable(
    db,
    'generation_numbers',
    { rights: ALL_RIGHTS, projectColumn: null },
    sql`projection text primary key, last integer not null`,
  )
}

/** How far projections and the relay are, what they could not apply, and what was looked at again. */
async function makePositions(db: Kysely<unknown>): Promise<void> {
  // Sequence and hash, so that it is noticed when a journal loses its end and continues with other events. The lease is for
  // projections that are not written in a transaction; `server_run`: in which run of which server a read model outside the
  // database was last seen to agree with the position.
  await makeTable(
    db,
    'positions',
    { rights: ALL_RIGHTS_AND_EMPTY },
    sql`
    projection text not null,
    generation integer not null,
    project_id uuid not null,
    position bigint not null,
    lease_owner uuid,
    leased_until timestamptz,
    moved_at timestamptz not null default now(),
    hash bytea not null default decode(repeat('00', 32), 'hex'),
    server_run text,
    primary key (projection, generation, project_id)`,
  )
  await makeTable(
    db,
    'relay_positions',
    { rights: 'select, insert, update' },
    sql`
    project_id uuid primary key,
    published bigint not null,
    lease_owner text,
    leased_until timestamptz,
    hash bytea not null default decode(repeat('00', 32), 'hex'),
    check ((lease_owner is null) = (leased_until is null))`,
  )
  // Some places that a position passed, to find the last one that journal and reader have in common.
  await makeTable(
    db,
    'checkpoints',
    { rights: ALL_RIGHTS_AND_EMPTY },
    sql`
    reader text not null,
    generation integer not null,
    project_id uuid not null,
    slot bigint not null,
    number bigint not null,
    sequence bigint not null,
    hash bytea not null,
    noted_at timestamptz not null default clock_timestamp(),
    primary key (reader, generation, project_id, slot)`,
  )
  // `dropped_at`: an operator dropped the event, so it is skipped for good, but still listed. `unreadable_by`: the version of the
  // reader that could not read it, so that a newer one tries; null: parked for another reason.
  await makeTable(
    db,
    'parked_events',
    { rights: ALL_RIGHTS_AND_EMPTY },
    sql`
    projection text not null,
    generation integer not null,
    project_id uuid not null,
    sequence bigint not null,
    memory_id uuid not null,
    error text not null,
    attempts integer not null,
    parked_at timestamptz not null default now(),
    dropped_at timestamptz,
    unreadable_by integer,
    primary key (projection, generation, project_id, sequence)`,
  )
  await sql`
    create index parked_unreadable on daybook.parked_events (projection, generation, unreadable_by)
    where unreadable_by is not null and dropped_at is null`.execute(db)
  // How far each generation's self-check has got (`@daybook/projection/self-check`), and what it found.
  await makeTable(
    db,
    'self_checks',
    { rights: ALL_RIGHTS_AND_EMPTY },
    sql`
    projection text not null,
    generation int not null,
    project_id uuid not null references daybook.projects,
    walked bigint not null default 0,
    hurried bigint not null default 0,
    checked_at timestamptz not null default '-infinity',
    differed bigint not null default 0,
    differed_at timestamptz,
    example text,
    unhealed int not null default 0,
    journal_problem text,
    primary key (projection, generation, project_id)`,
  )
  await sql`create index on daybook.self_checks (projection, generation, checked_at)`.execute(db)
}

/**
 * A row without `embedded_at` is work to do; its text is deleted once it is done. Rows belong to projects: in a store that all
 * share, a vector that is there at once would tell a project that another one has the same text.
 */
async function makeEmbeddings(db: Kysely<unknown>): Promise<void> {
  await makeTable(
    db,
    'embeddings',
    { rights: ALL_RIGHTS_AND_EMPTY },
    sql`
    project_id uuid not null,
    model_id text not null,
    content_hash bytea not null,
    text text,
    leased_until timestamptz,
    attempts integer not null default 0,
    last_error text,
    embedded_at timestamptz,
    token_bits bytea,
    primary key (project_id, model_id, content_hash)`,
  )
  // Bits of texts of up to some 80 tokens stay in their rows, two of which fill a page: outside, each is two more lookups for a
  // search that reads the bits of 500 memories (docs/measurements.md#token-bits-in-rows). Random bits cannot be compressed.
  await sql`
    alter table daybook.embeddings set (toast_tuple_target = 4064), alter column token_bits set storage external`.execute(
    db,
  )
  // Without the project: one queue serves all projects.
  await sql`
    create index embeddings_to_do on daybook.embeddings (model_id, leased_until nulls first)
    where embedded_at is null`.execute(db)
  // The column has no dimension: models of different dimensions share the table. In this order of columns a row of 384 numbers has
  // 896 bytes, so that nine fill a page (docs/measurements.md#room-of-a-memory).
  await makeTable(
    db,
    'embedding_chunks',
    { rights: ALL_RIGHTS_AND_EMPTY },
    sql`
    project_id uuid not null,
    model_id text not null,
    content_hash bytea not null,
    chunk smallint not null,
    tokens smallint not null default 0,
    span_start integer not null,
    span_end integer not null,
    embedding halfvec not null,
    primary key (project_id, model_id, content_hash, chunk),
    foreign key (project_id, model_id, content_hash) references daybook.embeddings on delete cascade`,
  )
}

/** What the Typesense projection must keep in Postgres, because Typesense has no transactions. */
async function makeTypesense(db: Kysely<unknown>): Promise<void> {
  // Documents that exist without their vectors.
  await makeTable(
    db,
    'typesense_pending_vectors',
    { rights: ALL_RIGHTS },
    sql`
    generation integer not null,
    project_id uuid not null,
    memory_id uuid not null,
    content_hash bytea not null,
    primary key (generation, project_id, memory_id)`,
  )
  await sql`create index on daybook.typesense_pending_vectors (generation, content_hash)`.execute(db)
  // Documents that may be older than the position says, and must be written again.
  await makeTable(
    db,
    'typesense_reposts',
    { rights: ALL_RIGHTS },
    sql`
    generation integer not null,
    project_id uuid not null,
    memory_id uuid not null,
    note uuid not null,
    primary key (generation, project_id, memory_id)`,
  )
  // Which creation of the collection the positions refer to: a wiped server makes a new one.
  await makeTable(
    db,
    'typesense_collections',
    { rights: ALL_RIGHTS, projectColumn: null },
    sql`generation integer primary key, incarnation text not null`,
  )
}

/** Operations that belong to a project, such as undos, are its keys' to ask for and to see. */
async function makeOperations(db: Kysely<unknown>): Promise<void> {
  await makeTable(
    db,
    'operations',
    { rights: ALL_RIGHTS },
    sql`
    id uuid primary key,
    type text not null,
    lane text not null,
    projection text,
    options jsonb not null,
    status text not null check (status in ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
    phase text not null default 'waiting',
    done bigint not null default 0,
    total bigint,
    checkpoint jsonb,
    result jsonb,
    error text,
    cancel_requested boolean not null default false,
    requested_by text,
    created_at timestamptz not null default clock_timestamp(),
    started_at timestamptz,
    updated_at timestamptz not null default clock_timestamp(),
    finished_at timestamptz,
    lease_owner text,
    leased_until timestamptz,
    project_id uuid`,
  )
  // A rebuild makes sure that its operation is still held, in transactions that are bound to the project whose rows
  // it writes. To see operations without a project is all that this allows.
  await sql`
    create policy without_project on daybook.operations for select using (project_id is null)`.execute(db)
  // At most one per lane: those that would disturb each other share a lane.
  await sql`
    create unique index one_operation_a_lane on daybook.operations (lane) where status in ('queued', 'running')`.execute(
    db,
  )
  await sql`create index on daybook.operations (created_at)`.execute(db)
  await makeTable(
    db,
    'expiry_lease',
    { rights: 'select, update', projectColumn: null },
    sql`one_row boolean primary key default true check (one_row), lease_owner text, leased_until timestamptz`,
  )
  await sql`insert into daybook.expiry_lease default values`.execute(db)
}
