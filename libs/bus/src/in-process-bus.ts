import type { Bus, BusListener } from './bus.ts'

/** The bus of a single process: a publish is a call of every listener. */
export function createInProcessBus(): Bus {
  const listeners = new Set<{ readonly hear: BusListener }>()
  return {
    publish(projectId, events) {
      for (const { hear } of listeners) hear(projectId, events)
    },
    subscribe(hear) {
      const listener = { hear }
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}
