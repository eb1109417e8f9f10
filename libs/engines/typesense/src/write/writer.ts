import { createHash, randomUUID } from 'node:crypto'
import { readLexemes } from '@daybook/lexical-index/lexemes'
import type { Database } from '@daybook/postgres/connect'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import type { Generation, GenerationRef } from '@daybook/projection/generations/generations'
import type { Fence } from '@daybook/projection/rebuild/fence'
import type { Logger } from '@daybook/runtime/logger'
import { sql } from 'kysely'
import { type BackOffGate, createBackOffGate, type TypesenseClient } from '../client/client.ts'
import { collectionName, DEFAULT_BASE_NAME } from './collection.ts'
import { TYPESENSE } from './generation.ts'
import { createKeyedMutex, type KeyedMutex } from './lease.ts'

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

/** Records memories whose documents may be older than the position, to be rewritten by any process. */
export async function noteRewrites(
  writer: GenerationWriter,
  scope: ProjectScope,
  memoryIds: Iterable<string>,
): Promise<void> {
  const noted = writer.unnoted.get(scope.projectId) ?? new Set()
  for (const memoryId of memoryIds) noted.add(memoryId)
  if (noted.size > 0) writer.unnoted.set(scope.projectId, noted)
  await saveNotes(scope.db, writer).catch((error: unknown) =>
    writer.logger.warn({ error }, 'could not record the memories to rewrite; trying again later'),
  )
}

/** Saves the records that the database could not take before. */
export async function saveNotes(db: Database, { generation, unnoted }: GenerationWriter): Promise<void> {
  for (const [projectId, memoryIds] of unnoted) {
    const ids = [...memoryIds]
    await sql`
      insert into typesense_reposts (generation, project_id, memory_id, note)
      select ${generation.generation}, ${projectId}, memory_id, ${randomUUID()} from unnest(${ids}::uuid[]) as memory_id
      on conflict (generation, project_id, memory_id) do update set note = excluded.note`.execute(
      projectScope(db, projectId).db,
    )
    for (const id of ids) memoryIds.delete(id)
    if (memoryIds.size === 0) unnoted.delete(projectId)
  }
}

/** What Typesense takes as one word and leaves unchanged. It would cut off a word after 100 bytes. */
const PLAIN = /^(?!zz)[a-z0-9]{1,64}$/

/**
 * A lexeme of Postgres as a word that Typesense neither splits nor changes: the lexeme itself if it has only
 * the letters a to z and digits, else `zz` and the first 32 hexadecimal digits of its SHA-256. So both
 * engines have the same words whatever their signs, accents and alphabets: `x-ray`, `été` and `/usr/bin` are
 * one word each.
 */
export function lexemeAsWord(lexeme: string): string {
  return PLAIN.test(lexeme) ? lexeme : `zz${createHash('sha256').update(lexeme).digest('hex').slice(0, 32)}`
}

/**
 * The distinct lexemes of each text, as words separated by blanks.
 * @param texts as `lexicalText` returns them
 * @returns words by text
 */
export async function readWords(scope: ProjectScope, texts: Iterable<string>): Promise<Map<string, string>> {
  const lexemes = await readLexemes(scope, texts)
  return new Map([...lexemes].map(([text, all]) => [text, all.map(lexemeAsWord).join(' ')]))
}
