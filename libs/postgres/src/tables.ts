import type { MemoryState } from '@daybook/memory/state'
import type { ColumnType, Generated, GeneratedAlways } from 'kysely'

/** A moment as the driver gives it: RFC 3339, UTC (`connect.ts` sets the parsers). */
type Moment = ColumnType<string, string | Date, string | Date>

/** The tables of the schema `daybook`. A projection's own tables are in its generation's schema, not here. */
export interface Tables {
  projects: { id: string; name: string; created_at: Generated<string> }
  api_keys: {
    id: string
    project_id: string
    key_hash: Buffer
    name: string
    admin: Generated<boolean>
    created_at: Generated<string>
    /** From this moment on it opens nothing; null: it holds. */
    revoked_at: Generated<string | null>
    /** The same, as it was decided when it was made. */
    expires_at: Generated<string | null>
  }
  journal_heads: {
    project_id: string
    sequence: Generated<number>
    last_recorded_at: Moment
    /** Of the last event; before the first 32 zero bytes. */
    hash: Generated<Buffer>
  }
  events: EventTable
  idempotency_keys: {
    project_id: string
    idempotency_key: string
    /** Null once what the request led to was erased. */
    request_hash: Buffer | null
    memory_id: string
    version: number
  }
  generations: {
    projection: string
    generation: number
    status: 'building' | 'following' | 'live' | 'old' | 'dropping'
    model_id: string
    dimension: number
    created_at: GeneratedAlways<string>
    retired_at: Moment | null
    /** The token of the rebuild that may write it while it is being built; null before and after. */
    builder: string | null
    /** Of its tables or its collection, as the code that made it has them. */
    layout_version: Generated<number>
    /** Why it can be neither written nor read, in words: it has to be made anew. Null of one that can. */
    unusable: string | null
  }
  generation_numbers: { projection: string; last: number }
  positions: {
    projection: string
    generation: number
    project_id: string
    position: number
    /** Of the event at the position; 32 zero bytes at 0. */
    hash: Generated<Buffer>
    /** When the position was last set. */
    moved_at: Generated<Moment>
    lease_owner: string | null
    leased_until: Moment | null
    /** Of projections that are kept outside of the database: in which run of it they were last seen to agree with the position. */
    server_run: string | null
  }
  /** Places that readers came through (`@daybook/journal/read/checkpoints`). */
  checkpoints: {
    reader: string
    generation: number
    project_id: string
    slot: number
    number: number
    sequence: number
    hash: Buffer
    noted_at: Generated<Moment>
  }
  parked_events: {
    projection: string
    generation: number
    project_id: string
    sequence: number
    memory_id: string
    error: string
    attempts: number
    parked_at: Generated<string>
    /** When an operator dropped it, which lets later events of the memory go on; null while it waits. */
    dropped_at: Moment | null
    /** The version of the reader that could not read it; null where it is parked for another reason. */
    unreadable_by: number | null
  }
  self_checks: {
    projection: string
    generation: number
    project_id: string
    /** The sequence up to which the walk through the project has come. */
    walked: Generated<number>
    /** Events through which the walk goes without a rest, as something was found. */
    hurried: Generated<number>
    checked_at: Generated<Moment>
    /** Memories that were found to differ from the journal, in all. */
    differed: Generated<number>
    differed_at: Moment | null
    /** The last of them, and in what, in words. */
    example: string | null
    /** Memories of the last look that differed still after they were written anew. */
    unhealed: Generated<number>
    /** What is wrong with the journal itself, in words. */
    journal_problem: string | null
  }
  /** One row. */
  compatibility: { minimum_reader: number; minimum_writer: number }
  relay_positions: {
    project_id: string
    /** The last sequence that was published. */
    published: number
    /** Of that event; 32 zero bytes at 0. */
    hash: Generated<Buffer>
    /** The relay that is at it, until `leased_until`; both null while none is. */
    lease_owner: string | null
    leased_until: Moment | null
  }
  typesense_pending_vectors: {
    generation: number
    project_id: string
    memory_id: string
    content_hash: Buffer
  }
  typesense_reposts: { generation: number; project_id: string; memory_id: string; note: string }
  typesense_collections: { generation: number; incarnation: string }
  operations: {
    id: string
    type: string
    /** Of the operations with the same lane one is queued or running at a time. */
    lane: string
    projection: string | null
    options: ColumnType<Record<string, unknown>, string, never>
    status: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled'
    phase: Generated<string>
    done: Generated<number>
    total: number | null
    /** What it goes on from after whoever worked on it died. */
    checkpoint: ColumnType<Record<string, unknown> | null, string | null, string | null>
    result: ColumnType<Record<string, unknown> | null, string | null, string | null>
    error: string | null
    cancel_requested: Generated<boolean>
    requested_by: string | null
    created_at: Generated<string>
    started_at: Moment | null
    updated_at: Generated<string>
    finished_at: Moment | null
    lease_owner: string | null
    leased_until: Moment | null
  }
  embeddings: {
    project_id: string
    model_id: string
    content_hash: Buffer
    text: string | null
    leased_until: Moment | null
    attempts: Generated<number>
    last_error: string | null
    embedded_at: Moment | null
  }
  embedding_chunks: {
    project_id: string
    model_id: string
    content_hash: Buffer
    chunk: number
    span_start: number
    span_end: number
    embedding: string
  }
  /** Kysely's own. */
  kysely_migration: { name: string; timestamp: string }
  memory_access: { project_id: string; memory_id: string; accessed_at: Moment; access_count: number }
}

interface EventTable {
  project_id: string
  sequence: number
  event_id: string
  memory_id: string
  version: number
  type: string
  schema_version: number
  /** Null once it was erased. */
  data: ColumnType<{ state: MemoryState } | null, string, never>
  recorded_at: string
  actor: string | null
  correlation_id: string | null
  causation_id: string | null
  /** W3C trace context of the append; null where nothing traced it. */
  traceparent: string | null
  /** Null once the data was erased, and only then. */
  data_salt: Buffer | null
  /** Both as `@daybook/memory/event-hash` says. */
  data_hash: Buffer
  hash: Buffer
}
