import type { CommittedEvent, LinkedEvent } from '@daybook/memory/events'

/**
 * What is published of a place in the journal: its event, or only its envelope if the event cannot be read or
 * was erased.
 */
export type PublishedEntry = CommittedEvent

/** Whether the entry has its event. */
export const hasEvent = (place: PublishedEntry): place is LinkedEvent =>
  (place as Partial<LinkedEvent>).data !== undefined

/** Says that a project's journal continues. */
export interface BusMessage {
  readonly projectId: string
  /** The journal has reached at least this sequence. */
  readonly sequence: number
  /** The hash at that sequence; null if the message does not say. */
  readonly hash: string | null
  /**
   * The events, as far as they fit, in sequence order; the last one is at `sequence`. Empty if an event was
   * too large to travel, was erased, or has a form that this version of Daybook does not know. The journal
   * has it.
   */
  readonly events: readonly LinkedEvent[]
}

/** Receives messages as they come. It must not throw. */
export type BusListener = (news: BusMessage) => void

/**
 * Handles a message. It resolves once the message is dealt with, and rejects if another member should get it.
 */
export type BusHandler = (news: BusMessage) => Promise<void>

/** The options of `Bus.publish`. */
export interface PublishOptions {
  /**
   * Marks a deliberate repetition: it is delivered although the bus remembers the events. Unique per
   * repetition.
   */
  readonly again?: string
}

/** A member of a group. */
export interface BusConsumer {
  /** Takes no more messages. Unfinished ones go to another member of the group. */
  stop(): Promise<void>
}

/** The state of the bus now, for operators. */
export interface BusStatus {
  /** `process` if events travel inside this process only. */
  readonly transport: 'process' | 'nats'
  /** Why it cannot take events now, as a sentence; null if it can. */
  readonly problem: string | null
  /** The server's version; null if there is no server or it is unavailable. */
  readonly version: string | null
  /** How long a message to the server and back takes, in milliseconds; null as for `version`. */
  readonly roundTripMs: number | null
}

/**
 * How committed events travel. It exists for speed. It may lose, repeat and reorder events, so every listener
 * reads the journal when something is missing.
 */
export interface Bus {
  /**
   * Sends consecutive committed events of one project, and the envelopes of those that cannot be sent.
   * @throws UnavailableError if the bus cannot take them now; it may have taken some
   */
  publish(projectId: string, places: readonly PublishedEntry[], options?: PublishOptions): Promise<void>
  /**
   * Removes what the bus keeps of a project that was deleted. May be called again.
   * @param signal ends it early
   * @throws UnavailableError
   */
  forget(projectId: string, signal?: AbortSignal): Promise<void>
  /**
   * Delivers messages to this listener and every other, in every process, from now on.
   * @returns ends the subscription
   */
  subscribe(listener: BusListener): () => void
  /**
   * Delivers each message to one member of the group, across all processes. The group outlives its members.
   */
  consume(group: string, handle: BusHandler): BusConsumer
  /** Checks whether it can take events now. It does not throw, and answers within seconds. */
  status(): Promise<BusStatus>
  /** Ends every subscription and consumer. */
  close(): Promise<void>
}
