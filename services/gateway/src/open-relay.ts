import type { Bus } from '@daybook/bus/bus'
import type { JournalEvent } from '@daybook/memory/events'
import type { Database } from '@daybook/postgres/connect'
import type { ProcessParts } from '@daybook/process/process-parts'
import type { Config } from '@daybook/runtime/config'

/** Hears of a project's events after their commit. */
export type OnCommitted = (projectId: string, events: readonly JournalEvent[]) => void

/** Brings committed events to the bus. */
export function openRelay(
  _config: Config,
  { bus }: { db: Database; bus: Bus } & Pick<ProcessParts, 'logger' | 'stops'>,
): OnCommitted {
  return (projectId, events) => void bus.publish(projectId, events)
}
