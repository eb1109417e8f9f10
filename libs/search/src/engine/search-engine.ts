import type { MemoryFilter } from '@daybook/memory/filter'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { Engine } from '@daybook/projection/engine/engine'
import type { Generation } from '@daybook/projection/generations/generations'
import type { Config } from '@daybook/runtime/config'
import type { Logger } from '@daybook/runtime/logger'
import type { CandidateSource } from '../retrievers/candidates/candidate-source.ts'

/** How complete an engine's live generation is for a project. */
export interface EngineState {
  readonly generation: Generation
  readonly position: number
  /** Memories whose vectors are not written yet. */
  readonly pending: number
}

/** What one search asks for. */
export interface CandidatesAsked {
  readonly projectId: string
  /** The filter. Postgres checks the parts that the engine cannot express. */
  readonly filter: MemoryFilter
}

/**
 * An engine beside Postgres, as searches use it. It finds candidates; Postgres decides whether a memory is a
 * hit, and provides its content.
 */
export interface SearchEngine {
  /** Whether to search there. Answers at once. */
  isAvailable(): boolean
  /** The engine's state for a project; null while it has no index that this version can search. */
  state(scope: ProjectScope): Promise<EngineState | null>
  /**
   * Where one search finds its candidates.
   * @param generation the live generation according to Postgres
   */
  candidates(asked: CandidatesAsked, generation: Pick<Generation, 'generation'>): CandidateSource
  close(): void
}

/** An engine that searches may ask for by name. */
export interface EngineSlot extends Pick<Engine, 'name' | 'setting'> {
  /** Null if it is not configured. */
  readonly search: SearchEngine | null
}

/** An engine as `libs/engines/registry` lists it. */
export interface RegisteredEngine extends Engine {
  /**
   * Opens the engine for searches; null if it is not configured. Absent for Postgres, which searches always
   * have.
   */
  openSearch?(config: Config, logger: Logger): SearchEngine | null
}
