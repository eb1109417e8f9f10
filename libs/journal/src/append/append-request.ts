import type { Command } from '@daybook/memory/commands'
import type { EventMetadata, JournalCursor, LinkedEvent } from '@daybook/memory/events'
import type { Memory } from '@daybook/memory/state'

/** One command on its way into the journal. */
export interface AppendRequest {
  readonly command: Command
  readonly metadata: EventMetadata
  /** Makes the request safe to repeat: the same key with the same request gives the first result. */
  readonly idempotencyKey?: string | null
}

/** A memory with the whole name of its place: its newest event's sequence, and that one's hash. */
export type RecordedMemory = Memory & JournalCursor

/** The receipt of an append: what is in the journal now. */
export interface Appended {
  /** The memory after the command, at the place where it is committed. */
  readonly memory: RecordedMemory
  /** The event that was written; null where nothing changed, or where the idempotency key had been used. */
  readonly event: LinkedEvent | null
  /** True where the idempotency key had been used for this same request. */
  readonly duplicate: boolean
}

/** What became of one request of several that were committed together. */
export type AppendOutcome = { readonly appended: Appended } | { readonly error: Error }
