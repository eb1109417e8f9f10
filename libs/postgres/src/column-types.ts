/** What is known about a column beyond what the database says. */
interface ColumnKnowledge {
  /** Replaces the type from `DRIVER_TYPES`, without null; may use what `IMPORTS` imports. */
  readonly type?: string
  /** Becomes the column's comment. */
  readonly note?: string
}

/** The imports that the types below need, besides Kysely's. */
export const IMPORTS = [
  `import type { EventMetadata } from '@daybook/memory/events'`,
  `import type { MemoryState } from '@daybook/memory/state'`,
  `import type { Writer } from '@daybook/memory/writer'`,
]

/**
 * The TypeScript type that the driver returns for a Postgres type (`connect.ts` sets the parsers). A vector
 * comes as text.
 */
export const DRIVER_TYPES: Readonly<Record<string, string>> = {
  bool: 'boolean',
  bytea: 'Buffer',
  int2: 'number',
  int4: 'number',
  int8: 'number',
  text: 'string',
  timestamptz: 'Moment',
  uuid: 'string',
  varchar: 'string',
  vector: 'string',
  halfvec: 'string',
}

/** Comments of tables, by name. */
export const TABLE_NOTES: Readonly<Record<string, string>> = {
  deleted_projects: 'Stays after a project, as the trace of its deletion.',
  erased_texts: 'Texts that an erasure took and that projections may still queue for embedding.',
  checkpoints: 'Places that readers passed (`@daybook/journal/read/checkpoints`).',
  branch_commands:
    'Commands given while the home was unavailable, which it has not decided yet (`@daybook/sync`).',
  branch_receipts:
    'Hashes of provisional events that were given out, for a day (`@daybook/sync/branch/branch-receipts`).',
  compatibility: 'One row.',
  expiry_lease: 'One row.',
  followed_projects: 'Projects whose home is another Daybook.',
  followers: 'Who follows a project of this Daybook.',
  former_homes: 'Homes that were lost when a project was promoted here, until they are told.',
  free_space: 'One row.',
  kysely_migration: 'Belongs to Kysely.',
  kysely_migration_lock: 'Belongs to Kysely.',
  relay_looks: 'One row.',
  sync_conflicts:
    'Commands of a branch that its home refused, or decided on another version than their writer saw.',
}

/**
 * Types and comments of columns, by `table.column`. The rest of `tables.ts` comes from the migrated database
 * (`npm run tables`).
 */
export const COLUMN_TYPES: Readonly<Record<string, ColumnKnowledge>> = {
  'api_keys.prefix': { note: 'Its first characters, for display; null for keys made before 0030.' },
  'api_keys.scopes': { type: `('read' | 'write' | 'follow' | 'admin')[]` },
  'api_keys.admin': { note: 'Whether its scope admin is for the whole Daybook, not only for its projects.' },
  'api_keys.replaced_by': { note: 'The key that it was rotated to.' },
  'api_keys.revoked_at': { note: 'From this moment on it opens nothing; null while it is valid.' },
  'api_keys.expires_at': { note: 'The same, but set when the key was made or rotated.' },
  'branch_commands.base_version': {
    note: 'The version of the memory that its writer saw; null if there was none.',
  },
  'branch_commands.command': { type: 'ColumnType<Record<string, unknown>, string, string>' },
  'branch_commands.metadata': { type: 'ColumnType<EventMetadata & { writer?: Writer }, string, string>' },
  'branch_commands.hash': { note: 'Chains the branch (`@daybook/sync/branch/branch-hash`).' },
  'branch_commands.request_hash': {
    note: 'Of the request that its key stands for, if the command was made from an event; else null.',
  },
  'branch_commands.sequence': {
    note: 'That of the home’s event; null until the home has decided it. It goes when the copy has that event.',
  },
  'console_sessions.used_at': { note: 'Its last request, to about a minute.' },
  'deleted_projects.deleted_by': { note: 'The name of the key that asked for it.' },
  'deleted_projects.events': { note: 'How many events its journal had.' },
  'deleted_projects.of_home': {
    note: 'Whether it was the copy of a project whose home is elsewhere, and may come again.',
  },
  'deleted_projects.finished_at': { note: 'Null while something of it may be left.' },
  'erased_texts.sequence': { note: 'That of the last event of the erasure.' },
  'events.data': {
    type: 'ColumnType<{ state: MemoryState }, string, never>',
    note: 'Null once erased.',
  },
  'events.epoch': { note: 'How many homes the journal has had by then, this one included.' },
  'events.traceparent': { note: 'W3C trace context of the append; null if nothing traced it.' },
  'events.data_salt': { note: 'Null once the data is erased, and only then.' },
  'events.data_hash': { note: 'See `@daybook/memory/event-hash`.' },
  'events.hash': { note: 'See `@daybook/memory/event-hash`.' },
  'events.identity_hash': {
    note: 'By which `@daybook/journal/append/batch-context` finds memories that are the same thing; null where the event changed nothing of that.',
  },
  'followed_projects.branch_hash': { note: 'The hash of the last command of the branch.' },
  'followed_projects.branch_position': { note: 'How many commands the branch has ever had.' },
  'followed_projects.caught_up_at': { note: 'When the copy last had all of the home’s events.' },
  'followed_projects.copied': {
    note: 'The last sequence of the home that is here. Events after it are the branch’s.',
  },
  'followed_projects.follower_id': { note: 'Names this follower at its home.' },
  'followed_projects.home_key': { note: 'The key that opens the project at its home. Secret.' },
  'followed_projects.moved_to': { note: 'Where the home says that the project has its home now.' },
  'followed_projects.own_url': {
    note: 'While the home hands the project over: where it finds this Daybook.',
  },
  'followed_projects.own_key': { note: 'What opens the project here, for the old home then. Secret.' },
  'followed_projects.rule': { type: `'LATEST_WINS' | 'ASK'` },
  'followed_projects.state': { type: `'COPYING' | 'CONNECTED' | 'OFFLINE' | 'REFUSED'` },
  'followed_projects.taking_epoch': {
    note: 'The epoch that begins here, while the home hands the project over.',
  },
  'former_homes.key': { note: 'Opens the project there. Secret, as is `own_key`, which opens it here.' },
  'former_homes.problem': { note: 'Why it could not be told, as a sentence.' },
  'free_space.erased_at': {
    note: 'When an erasure last ended whose text may still be in free space; null if there is none.',
  },
  'generations.status': { type: `'building' | 'following' | 'live' | 'old' | 'dropping'` },
  'generations.builder': {
    note: 'The token of the rebuild that may write it while it is building; else null.',
  },
  'generations.layout_version': {
    note: 'The version of its tables or collection in the code that made it.',
  },
  'generations.unusable': {
    note: 'Why it cannot be written or read and must be rebuilt, as a sentence; null if it is usable.',
  },
  'idempotency_keys.request_hash': { note: 'Null once the resulting event is erased.' },
  'journal_heads.epoch': { note: 'That of the next event.' },
  'journal_heads.followed': { note: 'Whether only events of its home are added.' },
  'journal_heads.hash': { note: 'The hash of the last event; 32 zero bytes before the first.' },
  'key_trust.trust': { type: `'low' | 'high'` },
  'memory_maps.sequence': { note: 'The sequence up to which the memories were read.' },
  'memory_maps.memory_ids': { type: 'string[]' },
  'memory_maps.xs': { type: 'number[]', note: 'Of the memories in their order, -1 to 1, as are `ys`.' },
  'memory_maps.ys': { type: 'number[]' },
  'operations.lane': { note: 'At most one operation per lane is queued or running at a time.' },
  'operations.options': { type: 'ColumnType<object, string, never>' },
  'operations.project_id': {
    note: 'Whose keys may see it; null for operations on more than one project.',
  },
  'operations.status': { type: `'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled'` },
  'operations.checkpoint': {
    type: 'ColumnType<Record<string, unknown>, string, string>',
    note: 'Where another process continues after the one that worked on it died.',
  },
  'operations.result': { type: 'ColumnType<object, string, string>' },
  'parked_events.dropped_at': {
    note: 'When an operator dropped it, so that later events can be applied; null while it waits.',
  },
  'parked_events.unreadable_by': {
    note: 'The version of the reader that could not read it; null if it is parked for another reason.',
  },
  'positions.hash': { note: 'The hash of the event at the position; 32 zero bytes at 0.' },
  'positions.moved_at': { note: 'When the position was last set.' },
  'positions.server_run': {
    note: 'If kept outside the database: the server run in which it last agreed with the position.',
  },
  'project_usage.bytes': { note: 'The size of the data of all events as JSON.' },
  'project_usage.memories': { note: 'Those that are not forgotten.' },
  'projects.max_bytes': { note: 'Limits; null: none.' },
  'quarantines.project_id': { note: 'Null: all projects.' },
  'quarantines.key_ids': {
    type: 'string[]',
    note: 'The key, and those that it was rotated to or from.',
  },
  'quarantines.of_home': {
    note: 'Whether it is a copy of one at the home of the project, which this Daybook follows.',
  },
  'quarantines.agent': { note: 'Who says to be this agent; null if it is of keys.' },
  'quarantines.began_by': { note: 'The name of the key that asked for it.' },
  'relay_positions.published': { note: 'The last published sequence.' },
  'relay_positions.hash': { note: 'The hash of that event; 32 zero bytes at 0.' },
  'relay_positions.lease_owner': {
    note: 'The relay that works on it, until `leased_until`; both null if none does.',
  },
  'self_checks.walked': { note: 'The sequence that the walk through the project has reached.' },
  'self_checks.hurried': {
    note: 'Events that the walk checks without a pause, because it found something.',
  },
  'self_checks.differed': { note: 'Memories found to differ from the journal, in total.' },
  'self_checks.example': { note: 'The last of them and how it differs, as a sentence.' },
  'self_checks.unhealed': {
    note: 'Memories that still differed in the last check after they were written again.',
  },
  'self_checks.journal_problem': { note: 'What is wrong with the journal itself, as a sentence.' },
  'sync_conflicts.base_version': {
    note: 'The version of the memory that its writer saw; null if there was none.',
  },
  'sync_conflicts.code': { note: 'The code of the home’s error.' },
  'sync_conflicts.command': { type: 'ColumnType<Record<string, unknown>, string, string>' },
  'sync_conflicts.metadata': { type: 'ColumnType<EventMetadata & { writer?: Writer }, string, string>' },
  'sync_conflicts.resolution': { type: `'LATEST_WINS' | 'MINE' | 'THEIRS'` },
}
