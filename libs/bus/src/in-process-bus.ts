import type { Bus, BusListener } from './bus.ts'

/** The bus of a single process: a publish is a call of every listener. */
export function createInProcessBus(): Bus {
  const listeners = new Set<BusListener>()
  return {
    publish(projectId, events) {
      for (const listener of listeners) listener(projectId, events)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}
