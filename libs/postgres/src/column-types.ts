/** What is known of a column that the database does not say. */
interface ColumnKnowledge {
  /** In place of what `DRIVER_TYPES` says, without null; may use what `IMPORTS` brings. */
  readonly type?: string
  /** Becomes its comment. */
  readonly note?: string
}

/** What the types below need beside Kysely's. */
export const IMPORTS = [`import type { MemoryState } from '@daybook/memory/state'`]

/** What the driver gives for a Postgres type (`connect.ts` sets the parsers). A vector comes as text. */
export const DRIVER_TYPES: Readonly<Record<string, string>> = {
  bool: 'boolean',
  bytea: 'Buffer',
  int4: 'number',
  int8: 'number',
  text: 'string',
  timestamptz: 'Moment',
  uuid: 'string',
  varchar: 'string',
  vector: 'string',
}

/** Comments of tables. */
export const TABLE_NOTES: Readonly<Record<string, string>> = {
  checkpoints: 'Places that readers came through (`@daybook/journal/read/checkpoints`).',
  compatibility: 'One row.',
  kysely_migration: "Kysely's own.",
  kysely_migration_lock: "Kysely's own.",
}

/** By `table.column`. The rest of `tables.ts` is the migrated database's: `npm run tables` writes it. */
export const COLUMN_TYPES: Readonly<Record<string, ColumnKnowledge>> = {
  'api_keys.revoked_at': { note: 'From this moment on it opens nothing; null: it holds.' },
  'api_keys.expires_at': { note: 'The same, as it was decided when it was made.' },
  'events.data': {
    type: 'ColumnType<{ state: MemoryState }, string, never>',
    note: 'Null once it was erased.',
  },
  'events.traceparent': { note: 'W3C trace context of the append; null where nothing traced it.' },
  'events.data_salt': { note: 'Null once the data was erased, and only then.' },
  'events.data_hash': { note: 'As `@daybook/memory/event-hash` says.' },
  'events.hash': { note: 'As `@daybook/memory/event-hash` says.' },
  'generations.status': { type: `'building' | 'following' | 'live' | 'old' | 'dropping'` },
  'generations.builder': {
    note: 'The token of the rebuild that may write it while it is being built; null before and after.',
  },
  'generations.layout_version': {
    note: 'Of its tables or its collection, as the code that made it has them.',
  },
  'generations.unusable': {
    note: 'Why it can be neither written nor read, in words: it has to be made anew. Null of one that can.',
  },
  'idempotency_keys.request_hash': { note: 'Null once what the request led to was erased.' },
  'journal_heads.hash': { note: 'Of the last event; before the first 32 zero bytes.' },
  'operations.lane': { note: 'Of the operations with the same lane one is queued or running at a time.' },
  'operations.options': { type: 'ColumnType<Record<string, unknown>, string, never>' },
  'operations.status': { type: `'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled'` },
  'operations.checkpoint': {
    type: 'ColumnType<Record<string, unknown>, string, string>',
    note: 'What it goes on from after whoever worked on it died.',
  },
  'operations.result': {
    type: 'ColumnType<Record<string, unknown>, string, string>',
  },
  'parked_events.dropped_at': {
    note: 'When an operator dropped it, which lets later events of the memory go on; null while it waits.',
  },
  'parked_events.unreadable_by': {
    note: 'The version of the reader that could not read it; null where it is parked for another reason.',
  },
  'positions.hash': { note: 'Of the event at the position; 32 zero bytes at 0.' },
  'positions.moved_at': { note: 'When the position was last set.' },
  'positions.server_run': {
    note: 'Of projections that are kept outside of the database: in which run of it they were last seen to agree with the position.',
  },
  'relay_positions.published': { note: 'The last sequence that was published.' },
  'relay_positions.hash': { note: 'Of that event; 32 zero bytes at 0.' },
  'relay_positions.lease_owner': {
    note: 'The relay that is at it, until `leased_until`; both null while none is.',
  },
  'self_checks.walked': { note: 'The sequence up to which the walk through the project has come.' },
  'self_checks.hurried': {
    note: 'Events through which the walk goes without a rest, as something was found.',
  },
  'self_checks.differed': { note: 'Memories that were found to differ from the journal, in all.' },
  'self_checks.example': { note: 'The last of them, and in what, in words.' },
  'self_checks.unhealed': {
    note: 'Memories of the last look that differed still after they were written anew.',
  },
  'self_checks.journal_problem': { note: 'What is wrong with the journal itself, in words.' },
}
