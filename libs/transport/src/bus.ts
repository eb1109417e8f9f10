import type { LinkedEnvelope, LinkedEvent } from '@daybook/memory/events'

/** What is published of a place in the journal: its event, or the place alone where the event cannot be read or was erased. */
export type PublishedEntry = LinkedEvent | LinkedEnvelope

/** Whether it has its event. */
export const hasEvent = (place: PublishedEntry): place is LinkedEvent =>
  (place as Partial<LinkedEvent>).data !== undefined

/** Says that a project's journal goes on. */
export interface BusMessage {
  readonly projectId: string
  /** The journal has reached this sequence at least. */
  readonly sequence: number
  /** The hash at that sequence; null where the message does not say. */
  readonly hash: string | null
  /**
   * The events as far as they came along, in sequence order, the last of them `sequence`. Empty where one was too large to
   * travel, was erased, or is in a form that this version of Daybook does not know: the journal has it.
   */
  readonly events: readonly LinkedEvent[]
}

/** Hears messages as they come. It must not throw. */
export type BusListener = (news: BusMessage) => void

/** Works through a message. It resolves once it is dealt with, and rejects where somebody else should get it. */
export type BusHandler = (news: BusMessage) => Promise<void>

export interface PublishOptions {
  /** Marks a deliberate repetition, which is to be brought although the bus remembers the events. Unique to the repetition. */
  readonly again?: string
}

export interface BusConsumer {
  /** Takes no more messages; what is not dealt with by then goes to another member of the group. */
  stop(): Promise<void>
}

/** How the bus is at this moment, for those who look after it. */
export interface BusStatus {
  /** `process` where events travel inside this process only. */
  readonly transport: 'process' | 'nats'
  /** Why it cannot take events now, in words; null where it can. */
  readonly problem: string | null
  /** The server's; null where there is none, or it is unavailable. */
  readonly version: string | null
  /** What a message to the server and back takes, in milliseconds; null as before. */
  readonly roundTripMs: number | null
}

/**
 * How committed events travel. It exists for speed: it may lose, repeat and reorder, and everyone who listens reads the
 * journal where something is missing.
 */
export interface Bus {
  /**
   * Sends consecutive committed events of one project, and the places of those that cannot be sent.
   * @throws UnavailableError where the bus cannot take them now; it may have taken some
   */
  publish(projectId: string, places: readonly PublishedEntry[], options?: PublishOptions): Promise<void>
  /** Brings messages to this listener and every other, in every process, from now on. @returns ends the subscription. */
  subscribe(listener: BusListener): () => void
  /** Brings each message to one member of the group, over all processes; the group outlives its members. */
  consume(group: string, handle: BusHandler): BusConsumer
  /** Looks whether it can take events now. It does not throw, and answers within seconds. */
  status(): Promise<BusStatus>
  /** Ends every subscription and consumer. */
  close(): Promise<void>
}
