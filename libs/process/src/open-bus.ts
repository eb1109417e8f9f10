import type { CommittedEvent } from '@daybook/memory/events'
import type { Database } from '@daybook/postgres/connect'
import type { Config } from '@daybook/runtime/config'
import type { ServiceMetrics } from '@daybook/runtime/metrics'
import type { Bus } from '@daybook/transport/bus'
import { createInProcessBus } from '@daybook/transport/in-process/in-process-bus'
import { openJetStreamBus } from '@daybook/transport/jetstream/jetstream-bus'
import { startRelay } from '@daybook/transport/relay/relay'
import type { ProcessParts } from './run-process.ts'

/**
 * The bus of `NATS_URL`, or one inside this process. NATS may be unavailable: what needs it waits, everything
 * else works.
 */
export async function openBus({ nats }: Config, { logger, progress, shutdown }: ProcessParts): Promise<Bus> {
  if (nats !== undefined) progress('Using the NATS of NATS_URL')
  const bus = nats === undefined ? createInProcessBus() : await openJetStreamBus({ ...nats, logger })
  shutdown.add(bus.close, { part: 'the bus' })
  return bus
}

/** Called with a project's events after their commit. */
export type OnCommitted = (projectId: string, events: readonly CommittedEvent[]) => void

interface RelayParts extends Pick<ProcessParts, 'logger' | 'shutdown'> {
  readonly db: Database
  readonly bus: Bus
  readonly metrics: ServiceMetrics
}

/**
 * Brings committed events to the bus. With NATS the relay does it; a bus inside this process gets them
 * directly, because nothing in between could lose them.
 */
export function openRelay({ nats }: Config, { db, bus, metrics, logger, shutdown }: RelayParts): OnCommitted {
  if (nats === undefined)
    return (projectId, events) =>
      void bus.publish(projectId, events).catch((error: unknown) => {
        logger.error(
          { error, projectId },
          'events could not be brought to all who wait for them; they find them in the journal',
        )
      })
  const relay = startRelay({ db, bus, metrics, logger })
  shutdown.add(relay.stop, { part: 'the relay' })
  return relay.committed
}
