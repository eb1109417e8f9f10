import { type EventFacts, hashData, hashEvent } from '@daybook/memory/event-hash'

/**
 * An event as stored, with its data's hash and its link in the project's hash chain. An erased event has null
 * for both data and salt, and keeps its hashes (`isErased`).
 */
export interface ChainedEvent extends EventFacts {
  readonly data: unknown
  /** In hex. */
  readonly dataSalt: string | null
  readonly traceparent?: string | null
  readonly dataHash: string
  readonly hash: string
}

/** An event with its salt, before its hashes are computed. */
export type UnchainedEvent = Omit<ChainedEvent, 'dataHash' | 'hash' | 'dataSalt'> & {
  readonly dataSalt: string
}

/** Whether the event's data was erased. */
export const isErased = ({ data, dataSalt }: Pick<ChainedEvent, 'data' | 'dataSalt'>): boolean =>
  data === null && dataSalt === null

/** Computes the hashes of consecutive events. `previous` is the hash of the event before them. */
export function chainEvents(previous: string, events: readonly UnchainedEvent[]): ChainedEvent[] {
  let hash = previous
  return events.map((event) => {
    const dataHash = hashData(event.dataSalt, event.data)
    hash = hashEvent(hash, event, dataHash)
    return { ...event, dataHash, hash }
  })
}
