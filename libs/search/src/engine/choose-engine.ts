import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { EngineSlot, EngineState, SearchEngine } from '@daybook/projection/engine/search-engine'
import { type EngineWanted, engineName, POSTGRES } from './engine-name.ts'

/**
 * How many events an engine may be behind Postgres with AUTO. While much is written, both projectors trail
 * the journal by a batch (100 events). An engine that is further behind has stopped or is being rebuilt.
 */
const LAG_ALLOWED = 100

/** What a search asks of an engine. */
export interface EngineAsked {
  readonly engine: EngineWanted
  /** The sequence that the answer must include; 0 for none. */
  readonly atLeast: number
  /** The position of the Postgres read model. */
  readonly position: number
}

/** The engine to begin with; `chosen` is null for Postgres. */
export interface EngineChosen {
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
export async function chooseEngine(
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
