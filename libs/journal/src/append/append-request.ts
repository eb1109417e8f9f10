import type { Command } from '@daybook/memory/commands'
import type { EventMetadata, EventType, JournalCursor, LinkedEvent } from '@daybook/memory/events'
import type { Memory } from '@daybook/memory/state'
import type { Writer } from '@daybook/memory/writer'

/** Who causes an event, and why; with the writer, who becomes part of the event's data and is hashed with it. */
export interface AppendMetadata extends EventMetadata {
  /** Absent for what Daybook does itself. */
  readonly writer?: Writer
}

/** One command on its way into the journal. */
export interface AppendRequest {
  readonly command: Command
  /**
   * The command as its caller gave it, if `command` says the same of another version or id than the caller knew: a
   * repeated request is recognised by it. Default: the same.
   */
  readonly given?: Command
  /** The hash of the request that its key stands for, if the request itself is not known any more. */
  readonly requestHash?: Buffer
  /**
   * When it was given, RFC 3339, if that may be long before it is decided: then a new memory is from then, unless it says
   * otherwise.
   */
  readonly givenAt?: string
  /**
   * Whether only the project's home may decide it, because another Daybook sent it and keeps it until the home has: one that
   * follows the home passes it on, and never puts it into its own branch. Default false.
   */
  readonly onlyAtHome?: boolean
  readonly metadata: AppendMetadata
  /** Whether a writer is in quarantine, so that nothing of it comes back with a memory remembered again. Default nobody. */
  readonly isWithheld?: (writer: Writer) => boolean
  /** Makes the request safe to repeat: the same key with the same request returns the first result. */
  readonly idempotencyKey?: string | null
}

/** A memory with its cursor: the sequence and hash of its newest event. */
export type RecordedMemory = Memory & JournalCursor

/** The receipt of an append: what is in the journal now. */
export interface Appended {
  /** The memory after the command, with the cursor of its committed event. */
  readonly memory: RecordedMemory
  /** The type of the event of this memory that was written; null if nothing changed or the idempotency key was already used. */
  readonly written: EventType | null
  /**
   * That event, if it was written here and not by a home. Those of a document's further parts stand before it in the journal.
   */
  readonly event: LinkedEvent | null
  /** True if the idempotency key was already used for this same request. */
  readonly duplicate: boolean
}

/** The result of one request in a batch. */
export type AppendOutcome = { readonly appended: Appended } | { readonly error: Error }
