import type { EmbeddingModel } from '@daybook/embeddings/embedders'
import type { Generation } from '../generations.ts'
import type { GenerationPoster } from '../post-generations.ts'
import type { Checkable } from '../verify/checkable.ts'
import type { LoadTarget } from './load-target.ts'

export interface LoadTargetOptions {
  /** Texts whose vectors were made before this moment get new ones. Null: what the embedding store has is taken. */
  readonly regenerateBefore: string | null
}

/** A projection as those see it who build, compare and drop generations of it. */
export interface Rebuildable {
  /** `pgvector`, `typesense` */
  readonly name: string
  /** Batches that may be loaded at a time. */
  readonly parallel: number
  /** Makes an empty generation beside the live one. */
  create(model: EmbeddingModel): Promise<Generation>
  /** Makes ready for loading what `create` could not, as `memories` are going to be loaded. May be called again. */
  prepare(generation: Generation, memories: number): Promise<void>
  loadTarget(generation: Generation, options: LoadTargetOptions): LoadTarget
  /** Gives the vectors that the embedding store has to the memories that wait for them. */
  fillVectors(generation: Generation): Promise<void>
  /** Memories that wait for vectors, of all projects. */
  pendingVectors(generation: Generation): Promise<number>
  /** Builds what is best built after loading. May be called again. */
  buildIndexes(generation: Generation): Promise<void>
  /** Keeps it up with the journal. */
  post(generation: Generation): GenerationPoster
  check(generation: Generation): Checkable
  /** Deletes its data and forgets it. May be called again. */
  drop(generation: number): Promise<void>
}
