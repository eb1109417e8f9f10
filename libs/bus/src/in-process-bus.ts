import type { Bus, BusHandler, BusListener, BusNews } from './bus.ts'

/**
 * The bus of a single process: a publish is a call of every listener and of one member of each group. News that a member
 * gives back are not sent again, since who would take them is the same process: it looks at the journal.
 */
export function createInProcessBus(): Bus {
  const listeners = new Set<{ readonly hear: BusListener }>()
  const groups = new Map<string, { readonly handle: BusHandler }[]>()

  return {
    async publish(projectId, events) {
      const last = events.at(-1)
      if (last === undefined) return
      const news = { projectId, sequence: last.sequence, events }
      for (const { hear } of listeners) hear(news)
      for (const members of groups.values()) toGroup(members, news)
    },
    subscribe(hear) {
      const listener = { hear }
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
    async status() {
      return { transport: 'process', problem: null, version: null, roundTripMs: null }
    },
    async close() {
      listeners.clear()
      groups.clear()
    },
  }
}

function toGroup(members: { readonly handle: BusHandler }[], news: BusNews): void {
  // The next news go to the next member.
  const member = members.shift()
  if (member === undefined) return
  members.push(member)
  member.handle(news).catch(() => {})
}
