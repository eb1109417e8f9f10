import type { GenerationRef } from '@daybook/projection/generations/generation-ref'
import type { Generation } from '@daybook/projection/generations/generations'
import type { Fence } from '@daybook/projection/rebuild/fence'
import type { Logger } from '@daybook/runtime/logger'
import { type BackOffGate, createBackOffGate } from '../client/back-off-gate.ts'
import type { TypesenseClient } from '../client/client.ts'
import { collectionName, DEFAULT_BASE_NAME } from './collection.ts'
import { TYPESENSE } from './generation.ts'
import { createKeyedMutex, type KeyedMutex } from './keyed-mutex.ts'

/** How to write a generation's documents. */
export interface GenerationWriterOptions {
  readonly client: TypesenseClient
  readonly generation: Generation
  readonly logger: Logger
  /** The prefix of the collections' names, and the alias. Default `daybook_memories`. */
  readonly base?: string | undefined
  /**
   * Milliseconds for which a project is leased; at least the longest time of a call. Default: that time and 2
   * s. After a projector was killed, its projects wait that long.
   */
  readonly leaseMs?: number | undefined
  /** The fence of a generation that is being built. Default none: projectors write it. */
  readonly fence?: Fence | null
}

/** What one process needs to write a generation's documents. */
export interface GenerationWriter {
  readonly client: TypesenseClient
  readonly generation: Generation
  readonly logger: Logger
  readonly place: GenerationRef
  readonly base: string
  readonly collection: string
  readonly leaseMs: number
  readonly fence: Fence | null
  /** Serialises writers of a project in this process. The lease keeps other processes out. */
  readonly mutex: KeyedMutex
  readonly gate: BackOffGate
  /**
   * Projects in which a call had no answer, with the time until which they wait for it (as of
   * `performance.now`).
   */
  readonly unanswered: Map<string, number>
  /** Memories that are recorded for rewriting as soon as the database is writable: project → memories. */
  readonly unnoted: Map<string, Set<string>>
  /**
   * Whether `keepCollection` has run since the process began. Until then the collection may have an earlier
   * layout.
   */
  isKept: boolean
}

/** Creates a writer. It connects to nothing yet. */
export function createGenerationWriter(options: GenerationWriterOptions): GenerationWriter {
  const { client, generation, logger, base = DEFAULT_BASE_NAME } = options
  return {
    client,
    generation,
    logger,
    place: { name: TYPESENSE, generation: generation.generation },
    base,
    collection: collectionName(generation.generation, base),
    leaseMs: options.leaseMs ?? client.longestCallMs + 2_000,
    fence: options.fence ?? null,
    mutex: createKeyedMutex(),
    gate: createBackOffGate(),
    unanswered: new Map(),
    unnoted: new Map(),
    isKept: false,
  }
}
