import type { JournalEvent } from '@daybook/memory/events'

/** Hears of committed events of one project, in order as far as the bus can keep it. It must not throw. */
export type BusListener = (projectId: string, events: readonly JournalEvent[]) => void

/**
 * How committed events travel. It exists for speed: it may lose, repeat and reorder, and everyone who listens reads the
 * journal where something is missing.
 */
export interface Bus {
  publish(projectId: string, events: readonly JournalEvent[]): void
  /** @returns ends the subscription. */
  subscribe(listener: BusListener): () => void
}
