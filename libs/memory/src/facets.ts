import type { MemoryState } from './state.ts'

/** What memories are counted by. */
export const FACET_NAMES = ['labels', 'kinds', 'categories', 'entityTypes', 'agents', 'contexts'] as const
/** One of `FACET_NAMES`. */
export type FacetName = (typeof FACET_NAMES)[number]

/** How many memories have a value. */
export interface FacetCount {
  readonly value: string
  readonly count: number
}

/** The counts of one facet: the most frequent values first, those of one count by their code points. */
export interface Facet {
  readonly values: readonly FacetCount[]
  /** The values that are not listed, and the sum of their counts. */
  readonly others: { readonly values: number; readonly count: number }
}

/** Counts of memories. */
export interface Facets {
  /** How many memories were counted. */
  readonly memories: number
  readonly facets: Readonly<Record<FacetName, Facet>>
}

/** The values of a memory in each facet. A kind is spelled as in the API: NOTE. */
const VALUES: Readonly<Record<FacetName, (state: MemoryState) => readonly (string | null)[]>> = {
  labels: ({ labels }) => labels,
  kinds: ({ kind }) => [kind.toUpperCase()],
  categories: ({ categories }) => categories,
  entityTypes: ({ kind, content }) => (kind === 'entity' ? [String(content['type'])] : []),
  agents: ({ agent }) => [agent],
  contexts: ({ context }) => [context],
}

/** Counts memories by all facets. @param most values listed per facet */
export function countFacets(states: readonly MemoryState[], most: number): Facets {
  return { memories: states.length, facets: facetsOf((name) => countOne(states, name, most)) }
}

/** Makes the record of all facets. */
export const facetsOf = (make: (name: FacetName) => Facet): Facets['facets'] =>
  Object.fromEntries(FACET_NAMES.map((name) => [name, make(name)])) as Record<FacetName, Facet>

function countOne(states: readonly MemoryState[], name: FacetName, most: number): Facet {
  const counts = new Map<string, number>()
  for (const state of states)
    for (const value of VALUES[name](state))
      if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1)
  const sorted = [...counts]
    .map(([value, count]) => ({ value, count }))
    .toSorted((a, b) => b.count - a.count || Buffer.compare(Buffer.from(a.value), Buffer.from(b.value)))
  const rest = sorted.slice(most)
  return {
    values: sorted.slice(0, most),
    others: { values: rest.length, count: rest.reduce((sum, { count }) => sum + count, 0) },
  }
}
