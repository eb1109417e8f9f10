import type { EmbeddingModel } from '@daybook/embeddings/embedders'
import type { GenerationApplier } from '../generations/apply-to-generations.ts'
import type { Generation } from '../generations/generations.ts'
import type { Verifiable } from '../verify/verifiable.ts'
import type { Builder, Fence } from './fence.ts'
import type { LoadTarget } from './load-target.ts'

export interface LoadTargetOptions {
  /** Texts whose vectors were made before this moment get new ones. Null: what the embedding store has is taken. */
  readonly regenerateBefore: string | null
  readonly fence: Fence
}

/** A projection as those see it who build, compare and drop generations of it. */
export interface RebuildableProjection {
  /** `pgvector`, `typesense` */
  readonly name: string
  /** Milliseconds within which projectors see that a generation came or went. Default `GENERATIONS_SEEN_MS`. */
  readonly seenMs?: number | undefined
  /** Batches that may be loaded at a time. */
  readonly parallel: number
  /** The version of the layout that this code makes, reads and writes. */
  readonly layoutVersion: number
  /** Why a generation can be neither written nor read, in words, beyond the version of its layout; null where it can. */
  problemOf(generation: number): Promise<string | null>
  /** Whether a write that was begun may arrive however much later, as no transaction spans the fence and the write. */
  readonly writesLate: boolean
  /** Makes an empty generation beside the live one. @throws FencedOffError */
  create(model: EmbeddingModel, builder: Builder): Promise<Generation>
  /** Makes ready for loading what `create` could not, as `memories` are going to be loaded. May be called again. */
  prepare(generation: Generation, memories: number, fence: Fence): Promise<void>
  loadTarget(generation: Generation, options: LoadTargetOptions): LoadTarget
  /** Gives the vectors that the embedding store has to the memories that wait for them. @param fence none for one that projectors write */
  fillVectors(generation: Generation, fence: Fence | null): Promise<void>
  /** Memories that wait for vectors, of all projects. */
  pendingVectors(generation: Generation): Promise<number>
  /** Builds what is best built after loading. May be called again. */
  buildIndexes(generation: Generation, fence: Fence): Promise<void>
  /** Keeps it up with the journal. */
  apply(generation: Generation): GenerationApplier
  check(generation: Generation): Verifiable
  /** Deletes the data of one that is being dropped and forgets it; any other is left alone. May be called again. */
  drop(generation: number): Promise<void>
}
