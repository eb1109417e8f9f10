import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { GenerationRef } from '../generations/generations.ts'

/** A memory at the position: what the journal says against what the projection holds. */
export interface ComparedMemory {
  readonly memoryId: string
  /**
   * SHA-256, hexadecimal, of everything that the projection must hold of it; null if it must hold nothing.
   */
  readonly wanted: string | null
  /**
   * The same of what the projection does hold; null if it holds nothing. Equal to `wanted` if all is well.
   */
  readonly held: string | null
  /** The parts that differ: `missing`, `row`, `versions`, `words`, `vectors`, `documents`. */
  readonly differs: readonly string[]
}

/** The comparison of some memories. */
export interface ComparedPage {
  readonly memories: readonly ComparedMemory[]
  /** How many of these memories rightly lack vectors, because they are still being made. */
  readonly pending: number
}

/** The problems of indexes over all memories. */
export interface ComparedIndexes {
  /** The problems, in words. */
  readonly problems: readonly string[]
  /** The memories that searches find wrongly, or not at all, because of these problems. */
  readonly memoryIds: readonly string[]
}

/** How to rewrite memories. */
export interface RewriteOptions {
  /** Applies the memories' parked events too, except dropped ones, and unparks them. Default no. */
  readonly unpark?: boolean
}

/** A projection whose contents can be compared with the journal. */
export interface Verifiable extends GenerationRef {
  /** The ids of all projects of which the projection holds anything, including those without a journal. */
  projects(): Promise<readonly string[]>
  /** Compares memories as of one moment. Projectors may work meanwhile. */
  compare(scope: ProjectScope, memoryIds: readonly string[]): Promise<ComparedPage>
  /** Checks what belongs to no single memory: an index over all of them, statistics. */
  compareIndexes(scope: ProjectScope, signal: AbortSignal): Promise<ComparedIndexes>
  /** Rebuilds what `compareIndexes` found wrong from the memories that the projection holds. */
  repairIndexes(scope: ProjectScope, signal: AbortSignal): Promise<void>
  /**
   * Memories of which the projection holds something, though the journal has no event of theirs.
   * @param held how many memories of the journal the projection was found to hold
   */
  surplus(scope: ProjectScope, held: number): Promise<readonly string[]>
  /**
   * Rewrites these memories from the journal, as of the position. What the journal does not have is removed.
   */
  rewrite(scope: ProjectScope, memoryIds: readonly string[], options?: RewriteOptions): Promise<void>
}
