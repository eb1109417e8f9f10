import { type Backlog, readBacklog } from '@daybook/transport/relay/backlog'
import { type CheckedParts, type Finding, ok, warning } from './check.ts'

/** Longer than it takes another relay to take over from one that died. */
const LATE_MS = 15_000

/** Whether committed events are published; null where they need not be, as they stay in this process. */
export async function checkRelay({ db, config }: CheckedParts): Promise<Finding | null> {
  return config.nats === undefined ? null : judgeBacklog(await readBacklog(db))
}

export function judgeBacklog({ events, oldestMs }: Backlog): Finding {
  if (events === 0) return ok('Everything that is committed is published')
  const message = `${events} committed events are not published yet, the oldest for ${(oldestMs / 1_000).toFixed(1)} s`
  return oldestMs < LATE_MS
    ? ok(message)
    : warning(message, 'Every gateway runs a relay: look at NATS first, then at the gateways’ logs')
}
