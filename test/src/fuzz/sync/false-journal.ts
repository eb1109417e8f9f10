import { CHAIN_START, type EventFacts, hashData, hashEvent } from '@daybook/memory/event-hash'
import { idOf } from './fresh-id.ts'

/** An event as a home streams it. */
export type StreamedEvent = Record<string, unknown>

/** Recorded events of each memory, in order. */
export function byMemory(events: readonly StreamedEvent[]): readonly (readonly StreamedEvent[])[] {
  const groups = new Map<unknown, Map<unknown, StreamedEvent>>()
  for (const event of events) {
    const group = groups.get(event['memoryId']) ?? new Map<unknown, StreamedEvent>()
    groups.set(event['memoryId'], group.set(event['sequence'], event))
  }
  return [...groups.values()].map((group) => [...group.values()])
}

/** The same events about another memory, under other keys. */
export function renewed(events: readonly StreamedEvent[], seed: string): StreamedEvent[] {
  let text = JSON.stringify(events)
  const ids = new Set(events.flatMap(({ memoryId, eventId }) => [memoryId, eventId]))
  for (const id of ids) text = text.replaceAll(String(id), idOf(seed, String(id)))
  return (JSON.parse(text) as StreamedEvent[]).map((event, index) => ({
    ...event,
    idempotencyKeys: [{ key: idOf(seed, 'key', index), requestHash: 'ab'.repeat(32) }],
  }))
}

/** Where a journal is. */
export interface Place {
  readonly sequence: number
  readonly hash: string
}

/** Where it begins. */
export const BEGINNING: Place = { sequence: 0, hash: CHAIN_START }

/** The events in their places, with hashes that are right for what they are, as a home that lies can make them. */
export function sealed(projectId: string, after: Place, events: readonly StreamedEvent[]): StreamedEvent[] {
  let { sequence, hash } = after
  return events.map((event) => {
    sequence += 1
    const placed = { ...event, sequence }
    const { data, dataSalt } = event
    const dataHash = typeof dataSalt === 'string' ? orNull(() => hashData(dataSalt, data)) : null
    const facts = { ...placed, projectId } as unknown as EventFacts
    const ofData = dataHash ?? String(event['dataHash'])
    hash = orNull(() => hashEvent(hash, facts, ofData)) ?? hash
    return { ...placed, dataHash: ofData, hash }
  })
}

/** @returns null for what has no hash */
function orNull(compute: () => string): string | null {
  try {
    return compute()
  } catch {
    return null
  }
}
