import type { MemoryFilter } from '@daybook/memory/filter'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { Config } from '@daybook/runtime/config'
import type { Logger } from '@daybook/runtime/logger'
import type { Generation } from '../generations/generations.ts'
import type { Engine } from './engine.ts'

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

/**
 * An engine did not answer a search, which Postgres answers instead. The message follows the engine's name:
 * "unreachable".
 */
export class EngineFailed extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'EngineFailed'
  }
}

/**
 * The most candidates that an engine is asked for, of one word or one vector: two and a half times as many as a search
 * wants of each retriever. Several chunks may be of one memory, and Postgres may refuse some.
 */
export const CANDIDATES_MAX = 250

/** What an engine knows about one word of the question. */
export interface WordCandidates {
  /** The number of the project's live memories that contain the word, regardless of the filter. */
  readonly documentFrequency: number
  /** Whether any memory of the project that a search could ask for contains it, within the filter or not. */
  readonly isKnown: boolean
  /** Memories that contain it and pass the filter as far as the engine can express it. */
  readonly memoryIds: readonly string[]
  /** Whether more memories contain it than are listed. */
  readonly isCutOff: boolean
}

/** The memories that an engine finds near the question. */
export interface NearCandidates {
  /** In no order. */
  readonly memoryIds: readonly string[]
  /** Whether there may be more within the filter. */
  readonly isCutOff: boolean
}

/**
 * Where an engine beside Postgres finds candidates for one search. They need not be right: Postgres checks
 * and scores them, so that filters, phrases, exclusions and scores mean the same on every engine.
 */
export interface CandidateSource {
  /**
   * Looks up the memories of each word.
   * @param lexemes the question's words as Postgres stems them
   * @param limit the most memories wanted for each, at most `CANDIDATES_MAX`
   * @returns one entry for each lexeme, in the given order
   * @throws EngineFailed
   */
  words(lexemes: readonly string[], limit: number): Promise<WordCandidates[]>
  /**
   * Finds the live memories that have the nearest chunks.
   * @param query the question's vector, of the model of the engine's vectors
   * @throws EngineFailed
   */
  nearest(query: Float32Array): Promise<NearCandidates>
}
