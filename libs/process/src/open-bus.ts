import type { Bus } from '@daybook/bus/bus'
import { createInProcessBus } from '@daybook/bus/in-process-bus'
import type { Config } from '@daybook/runtime/config'
import type { ProcessParts } from './process-parts.ts'

/** The bus of `NATS_URL`, or one inside this process. */
export async function openBus(_config: Config, { stops }: ProcessParts): Promise<Bus> {
  const bus = createInProcessBus()
  stops.add(bus.close)
  return bus
}
