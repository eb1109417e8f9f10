import type { ProjectScope } from '@daybook/postgres/project-scope'
import {
  EngineFailed,
  type EngineSlot,
  type EngineState,
  type SearchEngine,
} from '@daybook/projection/engine/search-engine'
import {
  candidateRetrievers,
  postgresRetrievers,
  type RetrieversFound,
  runRetrievers,
} from '../run-retrievers.ts'
import type { SearchParts } from '../search-parts.ts'
import { type Search, type SearchRun, startRun } from '../search-run.ts'
import { behindJournal, readSearchState, waitingForVectors } from '../search-state.ts'
import { type EngineName, type EngineWanted, engineName, POSTGRES } from './engine-name.ts'

/** What the retrievers found, and where. */
export interface Found extends RetrieversFound {
  readonly run: SearchRun
  readonly engine: EngineName
  /** The journal position that the result includes. */
  readonly sequence: number
  /**
   * The read model's position before the first retriever ran. A row with a later sequence has changed since.
   */
  readonly since: number
}

/**
 * Runs the retrievers on the chosen engine. If it fails on the way, another run begins on Postgres, and
 * `degraded` says so.
 */
export async function searchOnEngine(parts: SearchParts, search: Search): Promise<Found> {
  const { scope, readModel } = parts
  const { engine = 'AUTO', atLeast = 0, filter } = search.request
  // Starts embedding now, in parallel with reading the state.
  search.question.queryVector(readModel.generation)
  // Read before the retrievers run: later writes may be in the answer but are not promised.
  const state = await readSearchState(scope, readModel)
  const { position } = state
  const { chosen, degraded } = await chooseEngine(scope, parts.engines ?? [], { engine, atLeast, position })
  const behind = behindJournal(state)

  const onPostgres = async (reasons: readonly string[]): Promise<Found> => {
    const run = startRun(parts, search, readModel.generation, state.indexed)
    // While the model embeds the query.
    void run.few?.()
    const found = await runRetrievers(run, postgresRetrievers(run))
    const missing = waitingForVectors(found.vector === null ? 0 : state.pending)
    return {
      ...found,
      run,
      engine: POSTGRES,
      sequence: position,
      since: position,
      degraded: [...reasons, ...behind, ...found.degraded, ...missing],
    }
  }
  const onChosen = async ({
    name,
    search: on,
    state: its,
  }: NonNullable<EngineChosen['chosen']>): Promise<Found> => {
    const { generation } = its
    const run = startRun(parts, search, generation)
    const source = on.candidates({ projectId: scope.projectId, filter }, generation)
    const found = await runRetrievers(run, candidateRetrievers(run, name, source))
    // The engine finds by its vectors, and those of the read model are compared if they are of the same model.
    const isSameModel = generation.modelId === readModel.generation.modelId
    const waiting = isSameModel ? Math.max(its.pending, state.pending) : its.pending
    const missing = waitingForVectors(found.vector === null ? 0 : waiting)
    return {
      ...found,
      run,
      engine: engineName(name),
      // A hit is found in the engine and read from Postgres, so it is in both.
      sequence: Math.min(position, its.position),
      since: position,
      degraded: [...degraded, ...behind, ...found.degraded, ...missing],
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
