import { readHash } from '@daybook/journal/chain/read-chain'
import type { JournalCursor } from '@daybook/memory/events'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { z } from 'zod'

/** Places that a follower asks about at a time. */
export const MOST_PLACES = 64

/** The form of a request with places, in the order of their sequences. */
export const placesAsked = z.strictObject({
  places: z
    .array(z.strictObject({ sequence: z.int32().min(0), hash: z.string().regex(/^[0-9a-f]{64}$/u) }))
    .max(MOST_PLACES),
})

/** The form of the answer: the last of them that this journal has; null if it has none. */
export const placeAnswered = z.object({ common: z.int32().nullable() })

/** The sequence of the last of the places that the journal has. */
export async function lastOfPlaces(
  scope: ProjectScope,
  places: readonly JournalCursor[],
): Promise<z.infer<typeof placeAnswered>> {
  for (const { sequence, hash } of places.toReversed())
    if ((await readHash(scope, sequence)) === hash) return { common: sequence }
  return { common: null }
}
