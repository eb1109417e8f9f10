import type { GenerationRef } from '@daybook/projection/generations/generation-ref'
import type { Generation } from '@daybook/projection/generations/generations'
import type { Fence } from '@daybook/projection/rebuild/fence'
import type { Logger } from '@daybook/runtime/logger'
import { type BackOffGate, createBackOffGate } from '../client/back-off-gate.ts'
import type { TypesenseClient } from '../client/client.ts'
import { collectionName, DEFAULT_BASE_NAME } from './collection.ts'
import { TYPESENSE } from './generation.ts'
import { createKeyedMutex, type KeyedMutex } from './keyed-mutex.ts'

export interface GenerationWriterOptions {
  readonly client: TypesenseClient
  readonly generation: Generation
  readonly logger: Logger
  /** Beginning of the collections' names and the alias. Default `daybook_memories`. */
  readonly base?: string | undefined
  /**
   * Milliseconds for which a project is leased, at least a call's longest time. Default that time and 2 s: so long the
   * projects wait in which a projector was killed.
   */
  readonly leaseMs?: number | undefined
  /** Of a generation that is being built. Default none: projectors write it. */
  readonly fence?: Fence | null
}

/** One process' way to write a generation's documents. */
export interface GenerationWriter {
  readonly client: TypesenseClient
  readonly generation: Generation
  readonly logger: Logger
  readonly place: GenerationRef
  readonly base: string
  readonly collection: string
  readonly leaseMs: number
  readonly fence: Fence | null
  /** Who in this process writes a project next. Others are kept out by the lease. */
  readonly mutex: KeyedMutex
  readonly gate: BackOffGate
  /** Projects in which a call had no answer, and until when they wait for it (of `performance.now`). */
  readonly unanswered: Map<string, number>
  /** Memories to be noted for writer again, as soon as the database can be written: project → memories. */
  readonly unnoted: Map<string, Set<string>>
  /** Whether `keepCollection` has seen to the collection since the process began: until then it may be of an earlier layout. */
  isKept: boolean
}

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
