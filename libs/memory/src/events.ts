import type { Memory, MemoryState } from './state.ts'
import type { Writer } from './writer.ts'

/**
 * Every type of event and its data, which goes to the `data` column. A new type is an entry here and its name
 * in `EVENT_TYPES`.
 */
export interface Events {
  readonly MemoryRemembered: StateAfter
  readonly MemoryRevised: StateAfter
  readonly MemoryForgotten: StateAfter
  readonly MemoryRestored: StateRestored
  /** Its `expiresAt` passed: it is forgotten from then on. */
  readonly MemoryExpired: StateAfter
}

/** The memory's whole state after an event, and what changed. */
export interface StateAfter {
  readonly state: MemoryState
  /** Names of the fields that differ from the state before: `content.summary`, `labels`, `forgottenAt`, … */
  readonly changed: readonly string[]
  /**
   * Set by an undo: the version whose state is back; 0 where there was none, so that the memory is forgotten
   * now.
   */
  readonly undoneTo?: number
  /** Who wrote the event; absent if it is older than this field, and for what Daybook does itself. */
  readonly writer?: Writer
}

/** As `StateAfter`, for an event that brought an earlier state back. */
export interface StateRestored extends StateAfter {
  /**
   * The version whose content came back; absent if a forgotten memory came back unchanged, or a forgotten
   * document was indexed again.
   */
  readonly restoredVersion?: number
}

/** The name of an event's type. */
export type EventType = keyof Events
/** The data of any event. */
export type EventData = Events[EventType]

/**
 * The names of all event types. Projections park an event whose type they do not know, and name the type in
 * the error.
 */
export const EVENT_TYPES = Object.keys({
  MemoryRemembered: true,
  MemoryRevised: true,
  MemoryForgotten: true,
  MemoryRestored: true,
  MemoryExpired: true,
} satisfies Record<EventType, true>) as readonly EventType[]

/**
 * The type of a memory's last event once it is erased. It has no data, and no event of its memory has any more, so it
 * is not in `Events`: whoever finds an event without data removes the memory.
 */
export const ERASED_EVENT = 'MemoryErased'

/** The version of `EventData` that is written today. Older versions are upcast when read (`upcast.ts`). */
export const SCHEMA_VERSION = 1

/** An event's type with its data: `switch (payload.type)` tells which data it has. */
export type EventPayload = {
  readonly [Type in EventType]: { readonly type: Type; readonly data: Events[Type] }
}[EventType]

/** Who caused an event, and which request or event led to it. */
export interface EventMetadata {
  readonly actor: string | null
  readonly correlationId: string | null
  readonly causationId: string | null
  /**
   * W3C trace context of the span that appended, in the header's format. The bus carries it as CloudEvents'
   * `traceparent`.
   */
  readonly traceparent?: string | null
}

/** An event before it has its place in the journal. */
export type NewEvent = EventPayload & {
  readonly memoryId: string
  readonly version: number
  /**
   * The fields that its command gave, also with the values that they had: whoever says a text again vouches for it. Not part of
   * the event (`authors.ts`). Absent: those that changed.
   */
  readonly given?: readonly string[]
}

/**
 * A place in a project's journal. Positions, messages on the bus, receipts and cursors all use it. The
 * sequence says how far; the hash says in which history: a journal that lost its end (a failover to a replica
 * that was behind, a restored backup) gives the same sequences to other events.
 */
export interface JournalCursor {
  /** 0 before the first event. */
  readonly sequence: number
  /** The event's hash in the project's chain, in hex; `CHAIN_START` before the first. */
  readonly hash: string
}

/** What the journal knows of every event, whether or not this version of Daybook can read its data. */
export interface EventEnvelope extends EventMetadata, JournalCursor {
  readonly projectId: string
  readonly eventId: string
  readonly memoryId: string
  readonly version: number
  /** One of `EVENT_TYPES`, or a type that only a newer Daybook knows. */
  readonly type: string
  /**
   * RFC 3339, UTC, milliseconds, from the database's clock. Within a journal it goes back only if that clock
   * went back by more than a minute. `sequence` is the order, whatever the times say.
   */
  readonly recordedAt: string
}

/** An event in its place. A union of the types, so that `switch (event.type)` tells which data it has. */
export type JournalEvent = EventPayload & Omit<EventEnvelope, 'type'>

/**
 * An event with the hash of its predecessor: a reader can tell without the journal which event it follows.
 */
export type LinkedEvent = JournalEvent & {
  /** The hash of the project's event before it; `CHAIN_START` of the first. */
  readonly previousHash: string
}

/** What a commit added to the journal: an event, or the envelope of one that says that its memory is erased. */
export type CommittedEvent = LinkedEvent | LinkedEnvelope

/** An event without its data: this version cannot read the data, or it was erased. */
export interface LinkedEnvelope extends EventEnvelope {
  /** As in `LinkedEvent`. */
  readonly previousHash: string
}

/**
 * The state of every memory after `events`, by memory id. Each event carries the state after it, so the
 * newest event of a memory wins. The events may come in any order.
 */
export function fold(events: Iterable<JournalEvent>): Map<string, Memory> {
  const memories = new Map<string, Memory>()
  for (const event of events) {
    const known = memories.get(event.memoryId)
    if (known === undefined || known.version < event.version)
      memories.set(event.memoryId, {
        state: event.data.state,
        version: event.version,
        sequence: event.sequence,
      })
  }
  return memories
}
