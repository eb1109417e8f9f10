import { reasonOf } from '@daybook/runtime/reason-of'
import { withTimeout } from '@daybook/runtime/with-timeout'
import type { BusStatus } from '../bus.ts'
import type { Session } from './link.ts'
import type { StreamKeeper } from './stream.ts'

/** The status of a server that is unavailable. */
export const AWAY = { transport: 'nats', version: null, roundTripMs: null } as const

/** Milliseconds that each answer may take. */
const ANSWER_MS = 3_000

/** Pings the server and checks the stream, as a publish would. */
export async function describeSession(
  session: Session,
  { keeper, shown }: { keeper: StreamKeeper; shown: string },
): Promise<BusStatus> {
  const { connection } = session
  try {
    const roundTripMs = await withTimeout(ANSWER_MS, connection.rtt())
    const answered = { ...AWAY, version: connection.info?.version ?? null, roundTripMs }
    // What was true at the last publish may have changed.
    keeper.doubt(session)
    return await withTimeout(ANSWER_MS, keeper.ensure(session)).then(
      () => ({ ...answered, problem: null }),
      (error: unknown) => ({
        ...answered,
        problem: `NATS at ${shown} answers, but its stream is not available: ${reasonOf(error)}`,
      }),
    )
  } catch (error) {
    return { ...AWAY, problem: `NATS at ${shown} does not answer: ${reasonOf(error)}` }
  }
}
