import { type EventFacts, hashData, hashEvent } from '@daybook/memory/event-hash'

/**
 * An event as it is stored: with the hash of its data and its link in the project's hash chain. Of an erased one data and salt
 * are null, both, and its hashes stay (`isErased`).
 */
export interface ChainedEvent extends EventFacts {
  readonly data: unknown
  /** In hex. */
  readonly dataSalt: string | null
  readonly traceparent?: string | null
  readonly dataHash: string
  readonly hash: string
}

/** An event that has its salt and is to get its hashes. */
export type UnchainedEvent = Omit<ChainedEvent, 'dataHash' | 'hash' | 'dataSalt'> & {
  readonly dataSalt: string
}

/** Whether the event's data were taken away, as an erasure does. */
export const isErased = ({ data, dataSalt }: Pick<ChainedEvent, 'data' | 'dataSalt'>): boolean =>
  data === null && dataSalt === null

/** Links events that follow on each other to the one before them, whose hash is `previous`. */
export function chainEvents(previous: string, events: readonly UnchainedEvent[]): ChainedEvent[] {
  let hash = previous
  return events.map((event) => {
    const dataHash = hashData(event.dataSalt, event.data)
    hash = hashEvent(hash, event, dataHash)
    return { ...event, dataHash, hash }
  })
}
