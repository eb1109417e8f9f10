import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { GenerationRef } from '../generations/generation-ref.ts'

/** A memory as the journal has it at the position, against what the projection holds of it. */
export interface ComparedMemory {
  readonly memoryId: string
  /** SHA-256, hexadecimal, of everything that the projection must hold of it; null where it must hold nothing. */
  readonly wanted: string | null
  /** The same of what it does hold; null where it holds nothing. Equal to `wanted` where all is well. */
  readonly held: string | null
  /** Where they are not equal, in which parts: `missing`, `row`, `versions`, `words`, `vectors`, `documents`. */
  readonly differs: readonly string[]
}

export interface ComparedPage {
  readonly memories: readonly ComparedMemory[]
  /** Of them, those whose vectors are still being made: they lack them rightly. */
  readonly pending: number
}

export interface ComparedIndexes {
  /** In words. */
  readonly problems: readonly string[]
  /** The memories that are found wrongly, or not, for that. */
  readonly memoryIds: readonly string[]
}

export interface RewriteOptions {
  /** Applies the memories' parked events too, but for dropped ones, and parks them no more. Default no. */
  readonly unpark?: boolean
}

/** A projection whose contents can be held against the journal. */
export interface Verifiable extends GenerationRef {
  /** The ids of all projects that the projection holds anything of, those without a journal among them. */
  projects(): Promise<readonly string[]>
  /** Compares memories as of one moment. Projectors may be at work meanwhile. */
  compare(scope: ProjectScope, memoryIds: readonly string[]): Promise<ComparedPage>
  /** Checks what belongs to no memory alone: an index over all of them, statistics. */
  compareIndexes(scope: ProjectScope, signal: AbortSignal): Promise<ComparedIndexes>
  /** Makes what `compareIndexes` found wrong anew from the memories that the projection holds. */
  repairIndexes(scope: ProjectScope, signal: AbortSignal): Promise<void>
  /**
   * Memories that the projection holds something of though the journal has none of their events.
   * @param held how many memories of the journal it was found to hold
   */
  surplus(scope: ProjectScope, held: number): Promise<readonly string[]>
  /** Writes these memories anew from the journal, as of the position; what the journal does not have goes. */
  rewrite(scope: ProjectScope, memoryIds: readonly string[], options?: RewriteOptions): Promise<void>
}
