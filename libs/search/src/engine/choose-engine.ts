import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { EngineWanted } from './engine.ts'
import type { TypesenseSearch } from './typesense-search.ts'
import { readTypesenseState, type TypesenseState } from './typesense-state.ts'

/**
 * How many events AUTO lets Typesense be behind Postgres. Both projectors trail the journal by a batch (100 events) while
 * much is written; one that is further behind has stopped or is rebuilding.
 */
const LAG_ALLOWED = 100

export interface EngineAsked {
  readonly engine: EngineWanted
  /** The sequence that the answer shall include; 0 for none. */
  readonly atLeast: number
  /** The position of Postgres' read model. */
  readonly position: number
}

/** The engine to begin with; `typesense` is null for Postgres. */
export interface EngineChosen {
  readonly typesense: { readonly search: TypesenseSearch; readonly state: TypesenseState } | null
  /** What the searcher must know of the choice, in words. */
  readonly degraded: readonly string[]
}

const postgres = (...degraded: string[]): EngineChosen => ({ typesense: null, degraded })

/** Chooses where a search runs. Never fails for Typesense's sake: what is against it is said in `degraded`. */
export async function chooseEngine(
  scope: ProjectScope,
  search: TypesenseSearch | null,
  { engine, atLeast, position }: EngineAsked,
): Promise<EngineChosen> {
  if (engine === 'POSTGRES') return postgres()
  if (search === null)
    return engine === 'AUTO'
      ? postgres()
      : postgres('typesense is not configured (TYPESENSE_URL), answered by Postgres')
  if (!search.isAvailable()) return postgres('typesense unreachable, answered by Postgres')
  const state = await readTypesenseState(scope)
  if (state === null)
    return postgres(
      'typesense has no index yet: start the projector (services/projector-typesense) once; answered by Postgres',
    )
  const chosen = { search, state }
  if (engine === 'TYPESENSE')
    return {
      typesense: chosen,
      degraded:
        state.position < atLeast
          ? [`typesense has come to sequence ${state.position}, ${atLeast} was asked for`]
          : [],
    }
  const enough = Math.max(atLeast, position - LAG_ALLOWED)
  if (state.position < enough)
    return postgres(
      `typesense is behind (at sequence ${state.position}, ${enough} is needed), answered by Postgres`,
    )
  return { typesense: chosen, degraded: [] }
}
