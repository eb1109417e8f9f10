import type { BusStatus } from '@daybook/transport/bus'
import { type Backlog, readBacklog } from '@daybook/transport/relay/relay'
import { type CheckedParts, type Finding, failed, ok, warning } from './check.ts'

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

/** A backlog older than this is late, in milliseconds. Taking over from a dead relay takes less. */
const LATE_MS = 15_000

/** Checks that committed events are published; null without NATS, where events stay inside this process. */
export async function checkRelay({ db, config }: CheckedParts): Promise<Finding | null> {
  return config.nats === undefined ? null : judgeBacklog(await readBacklog(db))
}

/** Judges the events that are not published yet. */
export function judgeBacklog({ events, oldestMs }: Backlog): Finding {
  if (events === 0) return ok('Everything that is committed is published')
  const message = `${events} committed events are not published yet, the oldest for ${(oldestMs / 1_000).toFixed(1)} s`
  return oldestMs < LATE_MS
    ? ok(message)
    : warning(message, 'Every gateway runs a relay: look at NATS first, then at the gateways’ logs')
}
