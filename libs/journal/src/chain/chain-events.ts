import { type EventFacts, hashData, hashEvent } from '@daybook/memory/event-hash'

/** An event as it is stored: with the hash of its data and its link in the project's hash chain. */
export interface ChainedEvent extends EventFacts {
  readonly data: unknown
  readonly traceparent?: string | null
  readonly dataHash: string
  readonly hash: string
}

/** Links events that follow on each other to the one before them, whose hash is `previous`. */
export function chainEvents(
  previous: string,
  events: readonly Omit<ChainedEvent, 'dataHash' | 'hash'>[],
): ChainedEvent[] {
  let hash = previous
  return events.map((event) => {
    const dataHash = hashData(event.data)
    hash = hashEvent(hash, event, dataHash)
    return { ...event, dataHash, hash }
  })
}
