import type { Generation } from '@daybook/projection/generations/generations'
import type { SearchEngine } from './engine.ts'
import type { LegInput } from '../retrievers/retriever-input.ts'
import type { ParsedQuery } from '../query/query.ts'
import { type QueryVector, queryVector } from '../query-vector.ts'
import { type LegsRun, type OnWords, postgresLegs, runLegs, typesenseLegs } from '../run-retrievers.ts'
import type { SearchParts } from '../search-parts.ts'
import type { SearchMode, SearchRequest } from '../search-request.ts'
import { readSearchState, waitingForVectors } from '../search-state.ts'
import { timed } from '../timed.ts'
import { chooseEngine, type EngineChosen } from './choose-engine.ts'
import { TypesenseFailed } from './typesense-failed.ts'

/** What the legs found, and on what. */
export interface Searched extends LegsRun {
  readonly engine: SearchEngine
  readonly generation: Generation
  /** The position in the journal that it includes. */
  readonly sequence: number
  /** The read model's position before the first leg began: what has a later sequence was changed since. */
  readonly since: number
}

/**
 * Runs the legs on the engine that is asked for and able; where Typesense fails on the way, once more on Postgres, which
 * `degraded` then says.
 *
 * @param onWords hears what the lexical leg found while the vector leg still runs
 */
export async function searchOnEngine(
  parts: SearchParts,
  input: LegInput,
  query: ParsedQuery,
  request: SearchRequest,
  embedded: EmbedOnce,
  onWords: OnWords,
): Promise<Searched> {
  // Begins now: it runs beside the looking up of the state.
  embedded(parts.readModel.generation)
  // The state first: what is posted while the legs run may be in the answer, but is not promised.
  const state = await readSearchState(parts.scope, parts.readModel)
  const { typesense, degraded } = await chooseEngine(parts.scope, parts.typesense ?? null, {
    engine: request.engine ?? 'AUTO',
    atLeast: request.atLeast ?? 0,
    position: state.position,
  })

  const onPostgres = async (reasons: readonly string[]): Promise<Searched> => {
    const { generation } = parts.readModel
    const run = await runLegs(postgresLegs(input), query.wanted, request.mode, embedded(generation), onWords)
    const missing = waitingForVectors(run.vector === null ? 0 : state.pending)
    return {
      ...run,
      engine: 'POSTGRES',
      generation,
      sequence: state.position,
      since: state.position,
      degraded: [...reasons, ...run.degraded, ...missing],
    }
  }
  const onTypesense = async (chosen: NonNullable<EngineChosen['typesense']>): Promise<Searched> => {
    const { generation, position, pending } = chosen.state
    const legs = typesenseLegs(input, { search: chosen.search, generation }, request.filter)
    const run = await runLegs(legs, query.wanted, request.mode, embedded(generation), onWords)
    const missing = waitingForVectors(run.vector === null ? 0 : pending)
    return {
      ...run,
      engine: 'TYPESENSE',
      generation,
      // A hit is found there and read from Postgres: it is in both.
      sequence: Math.min(state.position, position),
      since: state.position,
      degraded: [...degraded, ...run.degraded, ...missing],
    }
  }

  if (typesense === null) return onPostgres(degraded)
  try {
    return await onTypesense(typesense)
  } catch (error) {
    if (!(error instanceof TypesenseFailed)) throw error
    return onPostgres([`typesense ${error.message}, answered by Postgres`])
  }
}

/** The query's vector for a generation; null where the mode wants none. */
export type EmbedOnce = (generation: Generation) => Promise<QueryVector> | null

/** Embeds the query once for all generations of one model, and for all attempts of a search. */
export function embedOnce(
  { scope: { projectId }, embedders, onLeg }: SearchParts,
  mode: SearchMode,
  text: string,
): EmbedOnce {
  const known = new Map<string, Promise<QueryVector>>()
  return (generation) => {
    if (mode === 'KEYWORD') return null
    const vector =
      known.get(generation.modelId) ??
      timed(onLeg, 'query-embedding', () => queryVector(embedders, generation, { projectId, text }))
    known.set(generation.modelId, vector)
    return vector
  }
}
