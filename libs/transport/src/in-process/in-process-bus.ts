import type { LinkedEvent } from '@daybook/memory/events'
import {
  type Bus,
  type BusHandler,
  type BusListener,
  type BusMessage,
  hasEvent,
  type PublishedEntry,
} from '../bus.ts'

/**
 * The bus of a single process: publishing calls every listener and one member of each group. Messages that a
 * member rejects are not sent again: only the same process could take them, and it reads the journal.
 */
export function createInProcessBus(): Bus {
  const listeners = new Set<{ readonly onMessage: BusListener }>()
  const groups = new Map<string, { readonly handle: BusHandler }[]>()

  return {
    async publish(projectId, places) {
      // Each receiver gets its news, whatever another one does with them.
      const failures: unknown[] = []
      const bring = (deliver: () => void): void => {
        try {
          deliver()
        } catch (error) {
          failures.push(error)
        }
      }
      for (const news of toNews(projectId, places)) {
        for (const { onMessage } of listeners) bring(() => onMessage(news))
        for (const members of groups.values()) bring(() => toGroup(members, news))
      }
      if (failures.length > 0) throw failures[0]
    },
    subscribe(onMessage) {
      const listener = { onMessage }
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    consume(group, handle) {
      const member = { handle }
      const members = groups.get(group) ?? []
      groups.set(group, members)
      members.push(member)
      return {
        async stop() {
          const place = members.indexOf(member)
          if (place >= 0) members.splice(place, 1)
        },
      }
    },
    // It keeps nothing.
    forget: () => Promise.resolve(),
    async status() {
      return { transport: 'process', problem: null, version: null, roundTripMs: null }
    },
    async close() {
      listeners.clear()
      groups.clear()
    },
  }
}

/** One message for each run of events, and one for each entry without its event. */
function toNews(projectId: string, places: readonly PublishedEntry[]): BusMessage[] {
  const all: BusMessage[] = []
  let run: LinkedEvent[] = []
  for (const [index, place] of places.entries()) {
    const next = places[index + 1]
    if (hasEvent(place)) run.push(place)
    if (hasEvent(place) && next !== undefined && hasEvent(next)) continue
    all.push({ projectId, sequence: place.sequence, hash: place.hash, events: run })
    run = []
  }
  return all
}

function toGroup(members: { readonly handle: BusHandler }[], news: BusMessage): void {
  // The next message goes to the next member.
  const member = members.shift()
  if (member === undefined) return
  members.push(member)
  member.handle(news).catch(() => {})
}
