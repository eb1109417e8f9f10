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

/** What one search wants. */
export interface CandidatesAsked {
  readonly projectId: string
  /** What the engine cannot be told of it is checked in Postgres. */
  readonly filter: MemoryFilter
}

/**
 * An engine beside Postgres, as searches use it. It says where candidates come from; whether a memory is a hit, and what it says,
 * is looked up in Postgres.
 */
export interface SearchEngine {
  /** Whether to ask it at all. The answer is there at once. */
  isAvailable(): boolean
  /** Null before its projector's first start. */
  state(scope: ProjectScope): Promise<EngineState | null>
  /**
   * Where one search finds its candidates.
   * @param generation the one that is live according to Postgres
   */
  candidates(asked: CandidatesAsked, generation: Pick<Generation, 'generation'>): CandidateSource
  close(): void
}

/** An engine that searches may ask for by its name. */
export interface EngineSlot extends Pick<Engine, 'name' | 'setting'> {
  /** Null where it is not configured. */
  readonly search: SearchEngine | null
}

/** An engine as `libs/engines/registry` lists it. */
export interface RegisteredEngine extends Engine {
  /** How searches reach it; null where it is not configured. Absent of one that searches cannot ask for: Postgres, which they always have. */
  openSearch?(config: Config, logger: Logger): SearchEngine | null
}
