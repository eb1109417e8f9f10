/**
 * The memories round one memory: those before and after it in the same context and of the same kind, in sequence order.
 *
 * Up to three each side, nearest first: a memory needs two of its own, and the neighbour that it brings into the pool needs
 * two of its own, the farther of which is the third from here. Fewer than three in a direction means that the session
 * ends there, never that somebody stopped looking.
 */
export interface Neighbourhood {
  readonly memoryId: string
  readonly context: string
  /** the previous, the one before it, the one before that */
  readonly before: readonly string[]
  /** the next, the one after it, the one after that */
  readonly after: readonly string[]
}

/** A memory's neighbourhood; null or absent for a memory without a context. */
export type Neighbourhoods = ReadonlyMap<string, Neighbourhood | null>

/** Of the neighbour before, as far as scores need it: two each side. Null at the start of the session. */
function neighbourhoodOfPrevious({ memoryId, context, before, after }: Neighbourhood): Neighbourhood | null {
  const [previous, ...farther] = before
  if (previous === undefined) return null
  return { memoryId: previous, context, before: farther, after: [memoryId, ...after.slice(0, 1)] }
}

/** Of the neighbour after, likewise. Null at the end of the session. */
function neighbourhoodOfNext({ memoryId, context, before, after }: Neighbourhood): Neighbourhood | null {
  const [next, ...farther] = after
  if (next === undefined) return null
  return { memoryId: next, context, before: [memoryId, ...before.slice(0, 1)], after: farther }
}

/**
 * The neighbourhoods of the whole pool: of the candidates, and of their neighbours at distance 1, derived from theirs. What
 * the caller knows of a memory goes before what is derived; of two derivations that of the smaller id, so that the result
 * does not depend on the order of the input.
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
    const own = pool.get(id)
    if (own == null) continue
    for (const derived of [neighbourhoodOfPrevious(own), neighbourhoodOfNext(own)]) {
      if (derived === null || pool.has(derived.memoryId)) continue
      pool.set(derived.memoryId, neighbourhoods.get(derived.memoryId) ?? derived)
    }
  }
  return pool
}
