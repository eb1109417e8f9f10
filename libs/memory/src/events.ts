import type { MemoryState } from './state.ts'

/** Every type of event, with what it says: the `data` column. A new one is an entry here, and its name in `EVENT_TYPES`. */
export interface Events {
  readonly MemoryRemembered: StateAfter
  readonly MemoryRevised: StateAfter
  readonly MemoryForgotten: StateAfter
  readonly MemoryRestored: StateRestored
}

/** The memory's whole state after an event, and what changed. */
export interface StateAfter {
  readonly state: MemoryState
  /** Names of the fields that differ from the state before: `content.summary`, `labels`, `forgottenAt`, … */
  readonly changed: readonly string[]
}

export interface StateRestored extends StateAfter {
  /** The version whose content came back; absent where a forgotten memory came back as it was. */
  readonly restoredVersion?: number
}

export type EventType = keyof Events
export type EventData = Events[EventType]

/** Their names, each once. One that a reader does not know is parked by projections and named in the error. */
export const EVENT_TYPES = Object.keys({
  MemoryRemembered: true,
  MemoryRevised: true,
  MemoryForgotten: true,
  MemoryRestored: true,
} satisfies Record<EventType, true>) as readonly EventType[]

/** The version of `EventData` that is written today. Older ones are upcast when read (`upcast.ts`). */
export const SCHEMA_VERSION = 1

/** What an event says, by its type: `switch (payload.type)` tells which data it has. */
export type EventPayload = {
  readonly [Type in EventType]: { readonly type: Type; readonly data: Events[Type] }
}[EventType]

/** Who caused an event, and which request or event led to it. */
export interface EventMetadata {
  readonly actor: string | null
  readonly correlationId: string | null
  readonly causationId: string | null
  /** W3C trace context, as its header has it: the span that appended. The bus carries it as CloudEvents' `traceparent`. */
  readonly traceparent?: string | null
}

/** An event before it has its place in the journal. */
export type NewEvent = EventPayload & {
  readonly memoryId: string
  readonly version: number
}

/**
 * A place in a project's journal, by which everybody names it: positions, messages on the bus, receipts and cursors. The
 * sequence alone says how far; the hash says of which history, since a journal that lost its end (a failover to a replica
 * that was behind, a restored backup) gives the same sequences to other events.
 */
export interface JournalCursor {
  /** 0 before the first event. */
  readonly sequence: number
  /** The event's hash in the project's chain, in hex; `CHAIN_START` before the first. */
  readonly hash: string
}

/** What the journal says of every event in its place, whether or not this version of Daybook can read what it holds. */
export interface EventEnvelope extends EventMetadata, JournalCursor {
  readonly projectId: string
  readonly eventId: string
  readonly memoryId: string
  readonly version: number
  /** One of `EVENT_TYPES`, or what a newer Daybook knows. */
  readonly type: string
  /**
   * RFC 3339, UTC, milliseconds; the database's clock. Along a project's journal it goes back only where that clock did by more
   * than a minute: `sequence` is the order, whatever the times say.
   */
  readonly recordedAt: string
}

/** An event in its place: one of several types, so that `switch (event.type)` tells which data it has. */
export type JournalEvent = EventPayload & Omit<EventEnvelope, 'type'>

/** An event that says which one it follows on, so that it can be told without the journal whether it does. */
export type LinkedEvent = JournalEvent & {
  /** The hash of the project's event before it; `CHAIN_START` of the first. */
  readonly previousHash: string
}

/** All that is known of a place but what happened there: its event cannot be read by this version, or was erased. */
export interface LinkedEnvelope extends EventEnvelope {
  /** As of `LinkedEvent`. */
  readonly previousHash: string
}
