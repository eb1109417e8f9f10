import type { QueryTokens } from '@daybook/embeddings/embedder'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import {
  EngineFailed,
  type EngineSlot,
  type EngineState,
  type SearchEngine,
} from '@daybook/projection/engine/search-engine'
import type { Generation } from '@daybook/projection/generations/generations'
import type { RetrieverInput } from '../retrievers/query-terms.ts'
import {
  candidateRetrievers,
  type KnownEarly,
  postgresRetrievers,
  type QueryVector,
  queryVector,
  type RetrieversRun,
  runRetrievers,
} from '../run-retrievers.ts'
import type { SearchParts } from '../search-parts.ts'
import type { SearchMode, SearchRequest } from '../search-request.ts'
import { readSearchState, waitingForVectors } from '../search-state.ts'
import { timed } from '../timed.ts'
import { type EngineName, type EngineWanted, engineName, POSTGRES } from './engine-name.ts'

/** What the retrievers found, and where. */
export interface Searched extends RetrieversRun {
  readonly engine: EngineName
  readonly generation: Generation
  /** The journal position that the result includes. */
  readonly sequence: number
  /**
   * The read model's position before the first retriever ran. A row with a later sequence has changed since.
   */
  readonly since: number
}

/** What is known before all retrievers have ended. Called again if they run again. */
interface SearchedEarly extends Pick<KnownEarly, 'onWords'> {
  /**
   * Called with the question's tokens, or null if it has none, possibly while retrievers still run.
   * @param modelId whose tokens they are
   */
  onTokens(tokens: QueryTokens | null, modelId: string): void
}

/**
 * Runs the retrievers on the chosen engine. If it fails on the way, they run once more on Postgres, and
 * `degraded` says so.
 *
 * @param wanted the words for the lexical retriever
 * @param early told what is known while retrievers still run
 */
export async function searchOnEngine(
  parts: SearchParts,
  input: RetrieverInput,
  wanted: string,
  request: SearchRequest,
  embedded: EmbedOnce,
  early: SearchedEarly,
): Promise<Searched> {
  const earlyOf = ({ modelId }: Generation): KnownEarly => ({
    ...early,
    onTokens: (tokens) => early.onTokens(tokens, modelId),
  })
  // Starts embedding now, in parallel with reading the state.
  embedded(parts.readModel.generation)
  // Read before the retrievers run: later writes may be in the answer but are not promised.
  const state = await readSearchState(parts.scope, parts.readModel)
  const { chosen, degraded } = await chooseEngine(parts.scope, parts.engines ?? [], {
    engine: request.engine ?? 'AUTO',
    atLeast: request.atLeast ?? 0,
    position: state.position,
  })

  const onPostgres = async (reasons: readonly string[]): Promise<Searched> => {
    const { generation } = parts.readModel
    // While the model embeds the query.
    void input.few?.()
    const run = await runRetrievers(
      postgresRetrievers({ ...input, indexed: state.indexed }),
      wanted,
      request.mode,
      embedded(generation),
      earlyOf(generation),
    )
    const missing = waitingForVectors(run.vector === null ? 0 : state.pending)
    return {
      ...run,
      engine: POSTGRES,
      generation,
      sequence: state.position,
      since: state.position,
      degraded: [...reasons, ...run.degraded, ...missing],
    }
  }
  const onChosen = async ({
    name,
    search,
    state: { generation, position, pending },
  }: NonNullable<EngineChosen['chosen']>): Promise<Searched> => {
    const asked = { projectId: parts.scope.projectId, filter: request.filter }
    const source = search.candidates(asked, generation)
    const retrievers = candidateRetrievers(input, name, source, generation.modelId)
    const run = await runRetrievers(
      retrievers,
      wanted,
      request.mode,
      embedded(generation),
      earlyOf(generation),
    )
    // The engine finds by its vectors, and those of the read model are compared if they are of the same model.
    const isSameModel = generation.modelId === parts.readModel.generation.modelId
    const waiting = isSameModel ? Math.max(pending, state.pending) : pending
    const missing = waitingForVectors(run.vector === null ? 0 : waiting)
    return {
      ...run,
      engine: engineName(name),
      generation,
      // A hit is found in the engine and read from Postgres, so it is in both.
      sequence: Math.min(state.position, position),
      since: state.position,
      degraded: [...degraded, ...run.degraded, ...missing],
    }
  }

  if (chosen === null) return onPostgres(degraded)
  try {
    return await onChosen(chosen)
  } catch (error) {
    if (!(error instanceof EngineFailed)) throw error
    return onPostgres([`${chosen.name} ${error.message}, answered by Postgres`])
  }
}

/** The query's vector for a generation; null if the mode needs none. */
export type EmbedOnce = (generation: Pick<Generation, 'modelId'>) => Promise<QueryVector> | null

/** Embeds the query once for all generations with the same model, and for all attempts of a search. */
export function embedOnce(
  { scope: { projectId }, embedders, onRetriever }: Pick<SearchParts, 'scope' | 'embedders' | 'onRetriever'>,
  mode: SearchMode,
  text: string,
): EmbedOnce {
  const known = new Map<string, Promise<QueryVector>>()
  return (generation) => {
    if (mode === 'KEYWORD') return null
    const vector =
      known.get(generation.modelId) ??
      timed(onRetriever, 'query-embedding', () => queryVector(embedders, generation, { projectId, text }))
    known.set(generation.modelId, vector)
    return vector
  }
}

/**
 * How many events an engine may be behind Postgres with AUTO. While much is written, both projectors trail
 * the journal by a batch (100 events). An engine that is further behind has stopped or is being rebuilt.
 */
const LAG_ALLOWED = 100

/** What a search asks of an engine. */
interface EngineAsked {
  readonly engine: EngineWanted
  /** The sequence that the answer must include; 0 for none. */
  readonly atLeast: number
  /** The position of the Postgres read model. */
  readonly position: number
}

/** The engine to begin with; `chosen` is null for Postgres. */
interface EngineChosen {
  readonly chosen: {
    /** Its projection's name. */
    readonly name: string
    readonly search: SearchEngine
    readonly state: EngineState
  } | null
  /** What the caller must know about the choice, in words. */
  readonly degraded: readonly string[]
}

const postgres = (...degraded: string[]): EngineChosen => ({ chosen: null, degraded })

/**
 * Chooses the engine of a search. Never fails because of an engine: reasons against it are listed in
 * `degraded`.
 */
async function chooseEngine(
  scope: ProjectScope,
  engines: readonly EngineSlot[],
  { engine, atLeast, position }: EngineAsked,
): Promise<EngineChosen> {
  if (engine === POSTGRES) return postgres()
  const isAuto = engine === 'AUTO'
  const slot = isAuto
    ? engines.find(({ search }) => search !== null)
    : engines.find(({ name }) => engineName(name) === engine)
  if (slot === undefined)
    return isAuto ? postgres() : postgres(`there is no engine ${engine}, answered by Postgres`)
  const { name, setting, search } = slot
  if (search === null) return postgres(`${name} is not configured (${setting}), answered by Postgres`)
  if (!search.isAvailable()) return postgres(`${name} unreachable, answered by Postgres`)
  const state = await search.state(scope)
  if (state === null)
    return postgres(
      `${name} has no index yet that this version of Daybook can search: its projector (services/projector-${name}) makes it; answered by Postgres`,
    )
  const chosen = { name, search, state }
  if (!isAuto)
    return {
      chosen,
      degraded:
        state.position < atLeast
          ? [`${name} has come to sequence ${state.position}, ${atLeast} was asked for`]
          : [],
    }
  const enough = Math.max(atLeast, position - LAG_ALLOWED)
  if (state.position < enough)
    return postgres(
      `${name} is behind (at sequence ${state.position}, ${enough} is needed), answered by Postgres`,
    )
  return { chosen, degraded: [] }
}
