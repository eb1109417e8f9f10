import type { EmbeddingModel } from '@daybook/embeddings/embedders'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { GenerationApplier } from '../generations/apply-to-generations.ts'
import type { Generation } from '../generations/generations.ts'
import type { Verifiable } from '../verify/verifiable.ts'
import type { Builder, Fence } from './fence.ts'
import type { LoadTarget } from './load-project.ts'

/** How a rebuild fills a generation. */
export interface LoadTargetOptions {
  /**
   * Texts whose vectors were made before this moment get new ones. Null: the embedding store's vectors are
   * used.
   */
  readonly regenerateBefore: string | null
  readonly fence: Fence
}

/** How to remove a deleted project. */
export interface RemoveOptions {
  readonly events: number
  /** Ends the removal between two steps. */
  readonly signal: AbortSignal
}

/** A projection as the code sees it that builds, compares and drops its generations. */
export interface RebuildableProjection {
  /** `pgvector`, `typesense` */
  readonly name: string
  /**
   * Milliseconds within which projectors see that a generation appeared or went. Default
   * `GENERATIONS_SEEN_MS`.
   */
  readonly seenMs?: number | undefined
  /** Batches of one project that may be loaded at the same time, or small projects that may be loaded and compared. */
  readonly parallel: number
  /** The layout version that this code creates, reads and writes. */
  readonly layoutVersion: number
  /**
   * Why a generation can be neither written nor read, in words; null if it is usable. The layout version is
   * checked elsewhere.
   */
  problemOf(generation: number): Promise<string | null>
  /** Whether a write may arrive at any later time, because no transaction spans the fence and the write. */
  readonly writesLate: boolean
  /** Creates an empty generation beside the live one. @throws FencedOffError */
  create(model: EmbeddingModel, builder: Builder): Promise<Generation>
  /** Prepares for loading about `memories` memories what `create` could not. May be called again. */
  prepare(generation: Generation, memories: number, fence: Fence): Promise<void>
  loadTarget(generation: Generation, options: LoadTargetOptions): LoadTarget
  /**
   * Writes the embedding store's vectors to the memories that wait for them.
   * @param fence null for a generation that projectors write
   */
  fillVectors(generation: Generation, fence: Fence | null): Promise<void>
  /** The number of memories, over all projects, that wait for vectors. */
  pendingVectors(generation: Generation): Promise<number>
  /** Builds the indexes that are best built after loading. May be called again. */
  buildIndexes(generation: Generation, fence: Fence): Promise<void>
  /** Keeps the generation up to date with the journal. */
  apply(generation: Generation): GenerationApplier
  check(generation: Generation): Verifiable
  /**
   * Deletes what a generation holds of a project whose journal is gone, in small steps. May be called again, and
   * while others still write: without its events, no new batch of the project is applied.
   * @param events how many the journal had
   * @returns how much it deleted: 0 if there was nothing
   * @throws PositionMoved if another process is writing the project
   */
  removeProject(generation: Generation, scope: ProjectScope, options: RemoveOptions): Promise<number>
  /**
   * Deletes the data and the row of a generation that is being dropped; any other is left alone. May be
   * called again.
   */
  drop(generation: number): Promise<void>
}
