import { createHash } from 'node:crypto'
import { sortedJson } from '@daybook/memory/canonical-json'
import type { Command, CommonInput } from '@daybook/memory/commands'
import { DaybookError } from '@daybook/memory/errors'
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

/*
 * Tells a repeated request from a different one under the same idempotency key. A hash has a version, because
 * a key is valid for ever and the rule may change: the retry of an old request is compared by the rule of its
 * stored hash.
 *
 * 2: 33 bytes: the version, and the SHA-256 of the command as canonical JSON. Of a new memory, only the given
 * fields are hashed, not its id, which is new for each try, and null counts as not given. So a caller's next version may send
 * null for a field that the version before left out, and it is the same request.
 *
 * Only what the caller gave is hashed, never defaults: a new field with a default is in no hash. So no input
 * of the API may have a default in the schema.
 */
const VERSION = 2

const sha256 = (value: unknown): Buffer => createHash('sha256').update(sortedJson(value)).digest()

/** The hash of a request, as stored with its key. */
export function requestHash(command: Command): Buffer {
  return Buffer.concat([Buffer.of(VERSION), sha256(given(command))])
}

/**
 * Whether a stored hash belongs to this request.
 * @throws DaybookError CONFIGURATION if a newer Daybook computed it by a rule that is unknown here
 */
export function isHashOf(stored: Buffer, command: Command): boolean {
  if (stored[0] === VERSION) return stored.equals(requestHash(command))
  throw new DaybookError(
    'CONFIGURATION',
    `The idempotency key was used through a newer Daybook, and this one cannot compare hashes of version ${stored[0]}: send the request to a newer process, or upgrade this one`,
  )
}

function given(command: Command): unknown {
  if (command.type !== 'remember') return command
  const { content, ...common } = command.input
  const { kind, fields } = content
  return {
    type: command.type,
    input: { ...withoutNulls<CommonInput>(common), content: { kind, fields: withoutNulls(fields) } },
  }
}

/** Only at the first level: a null inside metadata or lists is a value. */
const withoutNulls = <T extends object>(fields: T): Partial<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)) as Partial<T>

/** The project's home is another Daybook, which alone gives out sequences: what is written goes there, or to the branch. */
export class FollowedError extends DaybookError {
  constructor(projectId: string) {
    super(
      'REFUSED',
      `The project ${projectId} follows another Daybook, its home, where this has to be done: daybook sync status says which`,
    )
  }
}
