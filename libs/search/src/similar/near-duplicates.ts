import { DaybookError } from '@daybook/memory/errors'
import { embeddedTextOf, type Memory } from '@daybook/memory/state'
import type { SearchParts } from '../search-parts.ts'
import type { SearchAnswer } from '../search-request.ts'
import { nearestTo } from './similar.ts'
import { embedText } from './similar-vectors.ts'

/** From this cosine on, two texts count as near-duplicates (docs/measurements.md#near-duplicates). */
export const DUPLICATE_COSINE = 0.9

/**
 * The memories that say nearly the same as one that was just written, nearest first. The text is embedded here,
 * because its vector is not stored yet, after the write is committed. Without an embedder the answer is empty
 * and says why.
 */
export async function nearDuplicates(
  parts: SearchParts,
  { state }: Memory,
  topK: number,
): Promise<SearchAnswer> {
  const text = embeddedTextOf(state)
  const options = { topK, filter: {}, leastCosine: DUPLICATE_COSINE }
  try {
    const vectors = await embedText(parts, text)
    const answer = await nearestTo(parts, { vectors, text, itself: state.id }, options)
    return { ...answer, message: null }
  } catch (error) {
    if (!(error instanceof DaybookError) || error.code !== 'EMBEDDING') throw error
    const none = await nearestTo(parts, { vectors: [], text, itself: state.id }, options)
    return { ...none, message: null, degraded: [error.message] }
  }
}
