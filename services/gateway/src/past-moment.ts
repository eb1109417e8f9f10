import { sequenceAt } from '@daybook/journal/read/find-moment'
import type { PastMoment } from '@daybook/pgvector/read/read-memories'
import type { Context } from './context.ts'

/** How the API describes the argument `asOf`. */
export const AS_OF =
  'What was true at this moment, by the times at which the journal recorded its events: with what has been forgotten or revised since, without what has been remembered since. A moment in the future means now. Before the first event there is nothing.'

/**
 * Finds the place in the journal of a moment that a client asks for.
 * @returns null for the present: no moment is given, or one in the future
 */
export async function pastMoment(
  { project }: Context,
  asOf: string | null | undefined,
): Promise<PastMoment | null> {
  if (asOf == null || Date.parse(asOf) >= Date.now()) return null
  return { sequence: await sequenceAt(project, asOf), moment: asOf }
}
