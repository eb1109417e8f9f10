import type { BusStatus } from '@daybook/transport/bus'
import { type CheckedParts, type Finding, failed, ok } from './check.ts'

/** Checks the bus: NATS, if it is configured. */
export async function checkNats({ bus }: CheckedParts): Promise<Finding> {
  return judgeBus(await bus.status())
}

/** Judges the state of the bus. */
export function judgeBus({ transport, problem, version, roundTripMs }: BusStatus): Finding {
  if (problem !== null)
    return failed(
      `${problem}. Events wait in the journal, where projectors find them`,
      'Bring NATS back, or check NATS_URL; its store may be empty',
    )
  return transport === 'process'
    ? ok('Not configured: events travel inside this process, others look into the journal')
    : ok(`NATS ${version} answers in ${roundTripMs?.toFixed(1)} ms`)
}
