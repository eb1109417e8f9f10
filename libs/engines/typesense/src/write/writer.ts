import type { Generation } from '@daybook/projection/generations/generations'
import type { Fence } from '@daybook/projection/rebuild/fence'
import type { Logger } from '@daybook/runtime/logger'
import { type BackOffGate, createBackOffGate } from '../client/back-off-gate.ts'
import type { Place } from './lease.ts'
import type { TypesenseClient } from '../client/client.ts'
import { collectionName, DEFAULT_BASE_NAME } from './collection.ts'
import { TYPESENSE } from './generation.ts'
import { createTurns, type Turns } from './keyed-mutex.ts'

export interface PostingOptions {
  readonly client: TypesenseClient
  readonly generation: Generation
  readonly logger: Logger
  /** Beginning of the collections' names and the alias. Default `daybook_memories`. */
  readonly base?: string
  /**
   * Milliseconds for which a project is claimed, at least a call's longest time. Default that time and 2 s: so long the
   * projects wait in which a projector was killed.
   */
  readonly leaseMs?: number
  /** Of a generation that is being built. Default none: projectors post it. */
  readonly fence?: Fence | null
}

/** One process' way to write a generation's documents. */
export interface Posting {
  readonly client: TypesenseClient
  readonly generation: Generation
  readonly logger: Logger
  readonly place: Place
  readonly base: string
  readonly collection: string
  readonly leaseMs: number
  readonly fence: Fence | null
  /** Who in this process writes a project next. Others are kept out by the claim. */
  readonly turns: Turns
  readonly gate: BackOffGate
  /** Projects in which a call had no answer, and until when they wait for it (of `performance.now`). */
  readonly unanswered: Map<string, number>
  /** Memories to be noted for posting again, as soon as the database can be written: project → memories. */
  readonly unnoted: Map<string, Set<string>>
  /** Whether `keepCollection` has seen to the collection since the process began: until then it may be of an earlier layout. */
  isKept: boolean
}

export function createPosting(options: PostingOptions): Posting {
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
    turns: createTurns(),
    gate: createBackOffGate(),
    unanswered: new Map(),
    unnoted: new Map(),
    isKept: false,
  }
}
