/**
 * The memories around one memory: those before and after it in the same context and of the same kind, in
 * sequence order.
 *
 * Up to three on each side, nearest first. A memory needs two of its own; the neighbour that it brings into
 * the pool needs two of its own too, and the farther of those is the third from here. Fewer than three in a
 * direction means that the session ends there.
 */
export interface Neighbourhood {
  readonly memoryId: string
  readonly context: string
  /** the previous one, the one before it, and the one before that */
  readonly before: readonly string[]
  /** the next one, the one after it, and the one after that */
  readonly after: readonly string[]
}

/** Neighbourhoods by memory; null or absent for a memory without a context. */
export type Neighbourhoods = ReadonlyMap<string, Neighbourhood | null>

/**
 * The neighbourhood of the previous memory as far as scores need it: two on each side. Null at the start of
 * the session.
 */
function neighbourhoodOfPrevious({ memoryId, context, before, after }: Neighbourhood): Neighbourhood | null {
  const [previous, ...farther] = before
  if (previous === undefined) return null
  return { memoryId: previous, context, before: farther, after: [memoryId, ...after.slice(0, 1)] }
}

/** The same for the next memory. Null at the end of the session. */
function neighbourhoodOfNext({ memoryId, context, before, after }: Neighbourhood): Neighbourhood | null {
  const [next, ...farther] = after
  if (next === undefined) return null
  return { memoryId: next, context, before: [memoryId, ...before.slice(0, 1)], after: farther }
}

/**
 * The neighbourhoods of the whole pool: those of the candidates, and those derived for their neighbours at
 * distance 1. A neighbourhood given by the caller takes precedence over a derived one. Of two derived ones,
 * that from the candidate with the smaller id is used, so that the order of the input does not matter.
 *
 * @param candidates ids of what the retrievers found
 */
export function poolNeighbourhoods(
  candidates: Iterable<string>,
  neighbourhoods: Neighbourhoods,
): Map<string, Neighbourhood | null> {
  const pool = new Map<string, Neighbourhood | null>()
  for (const id of candidates) pool.set(id, neighbourhoods.get(id) ?? null)
  for (const id of [...pool.keys()].toSorted()) {
    const own = neighbourhoods.get(id)
    if (own == null) continue
    for (const derived of [neighbourhoodOfPrevious(own), neighbourhoodOfNext(own)]) {
      // A candidate whose own neighbours were not looked up stands beside one whose were.
      if (derived === null || pool.get(derived.memoryId) != null) continue
      pool.set(derived.memoryId, neighbourhoods.get(derived.memoryId) ?? derived)
    }
  }
  return pool
}
