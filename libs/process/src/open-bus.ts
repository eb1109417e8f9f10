import type { Config } from '@daybook/runtime/config'
import type { Bus } from '@daybook/transport/bus'
import { createInProcessBus } from '@daybook/transport/in-process/in-process-bus'
import { openJetStreamBus } from '@daybook/transport/jetstream/jetstream-bus'
import type { ProcessParts } from './process-parts.ts'

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
