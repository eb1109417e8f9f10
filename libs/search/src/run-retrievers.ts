import type { Generation } from '@daybook/projection/generations/generations'
import type { LegInput } from './retrievers/retriever-input.ts'
import { lexicalLeg } from './retrievers/postgres/lexical-retriever.ts'
import { typesenseFilter } from './retrievers/typesense/filter.ts'
import { typesenseLexicalLeg } from './retrievers/typesense/lexical-retriever.ts'
import { typesenseVectorLeg } from './retrievers/typesense/vector-retriever.ts'
import { type VectorHit, vectorLeg } from './retrievers/postgres/vector-retriever.ts'
import type { QueryVector } from './query-vector.ts'
import type { LegHit } from './ranking/retriever.ts'
import type { SearchMode, SearchRequest } from './search-request.ts'
import { timed } from './timed.ts'
import type { TypesenseSearch } from './engine/typesense-search.ts'

/** The two legs on one engine. */
export interface Legs {
  lexical(wanted: string, coverage: boolean): Promise<readonly LegHit[]>
  vector(query: Float32Array): Promise<readonly VectorHit[]>
  /** Whether the vector leg begins as soon as the query has its vector; else after the lexical leg, which has the database first. */
  readonly atOnce: boolean
}

/** What the legs found; null for one that did not run. */
export interface LegsRun {
  readonly lexical: readonly LegHit[] | null
  readonly vector: readonly VectorHit[] | null
  readonly degraded: readonly string[]
}

export const postgresLegs = (input: LegInput): Legs => ({
  lexical: (wanted, coverage) => lexicalLeg(input, wanted, coverage),
  vector: (query) => vectorLeg(input, query),
  atOnce: false,
})

/** Both legs share the time that a search may spend on Typesense. */
export function typesenseLegs(
  input: LegInput,
  typesense: { readonly search: TypesenseSearch; readonly generation: Pick<Generation, 'generation'> },
  filter: SearchRequest['filter'],
): Legs {
  const turn = typesense.search.turn(typesense.generation.generation)
  const told = typesenseFilter(input.scope.projectId, filter)
  return {
    lexical: (wanted, coverage) =>
      timed(input.onLeg, 'typesense', () => typesenseLexicalLeg(input, turn, told, wanted, coverage)),
    vector: (query) => timed(input.onLeg, 'typesense', () => typesenseVectorLeg(input, turn, told, query)),
    // Each waits for another server most of the time, not for the database.
    atOnce: true,
  }
}

/** Hears what the lexical leg found while the vector leg may still run. */
export type OnWords = (hits: readonly LegHit[]) => void

/** @param embedding of the query; null where the mode wants none */
export async function runLegs(
  { lexical, vector, atOnce }: Legs,
  wanted: string,
  mode: SearchMode,
  embedding: Promise<QueryVector> | null,
  onWords: OnWords = () => {},
): Promise<LegsRun> {
  if (embedding === null) return { lexical: await lexical(wanted, false), vector: null, degraded: [] }
  if (mode === 'SEMANTIC') {
    const found = await embedding
    if ('vector' in found) return { lexical: null, vector: await vector(found.vector), degraded: [] }
    return { lexical: await lexical(wanted, false), vector: null, degraded: [found.missing] }
  }
  // The database scores words while the model embeds the query: they are different processes.
  if (atOnce) {
    const [words, vectors] = await Promise.all([
      lexical(wanted, true).then((hits) => {
        onWords(hits)
        return hits
      }),
      embedding.then(async (found) =>
        'vector' in found ? { hits: await vector(found.vector) } : { missing: found.missing },
      ),
    ])
    if ('hits' in vectors) return { lexical: words, vector: vectors.hits, degraded: [] }
    return { lexical: await lexical(wanted, false), vector: null, degraded: [vectors.missing] }
  }
  const [words, found] = await Promise.all([lexical(wanted, true), embedding])
  if ('vector' in found) {
    onWords(words)
    return { lexical: words, vector: await vector(found.vector), degraded: [] }
  }
  return { lexical: await lexical(wanted, false), vector: null, degraded: [found.missing] }
}
