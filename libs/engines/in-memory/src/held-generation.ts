import { type QueuedText, queueTexts, readStoredVectors, type VectorChunk } from '@daybook/embeddings/store'
import { readLexemes } from '@daybook/lexical-index/lexemes'
import { contentHash } from '@daybook/memory/content'
import { lexicalText } from '@daybook/memory/lexical-text'
import { embeddedTextOf, type Memory } from '@daybook/memory/state'
import type { DatabaseTransaction } from '@daybook/postgres/connect'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { Generation } from '@daybook/projection/generations/generations'

/** A memory as a generation holds it. */
export interface HeldMemory {
  readonly memory: Memory
  readonly lexemes: ReadonlySet<string>
  /** Its embedded text with its hash. */
  readonly text: QueuedText
  /** Empty while the memory waits for its vectors, and for a forgotten memory. */
  readonly chunks: readonly VectorChunk[]
}

/** The memories of a project by id. */
export type HeldProject = Map<string, HeldMemory>

/** The content of one generation. */
export interface HeldGeneration {
  readonly generation: Generation
  readonly projects: Map<string, HeldProject>
}

/** Creates the content of an empty generation. */
export const createHeldGeneration = (generation: Generation): HeldGeneration => ({
  generation,
  projects: new Map(),
})

/** Whether a memory waits for its vectors. */
export const waits = ({ memory, chunks }: HeldMemory): boolean =>
  memory.state.forgottenAt === null && chunks.length === 0

/** The number of a project's memories that wait for vectors. */
export const pendingOf = (held: HeldGeneration | undefined, projectId: string): number =>
  [...(held?.projects.get(projectId)?.values() ?? [])].filter(waits).length

/** Converts memories to what is held, with the vectors that the embedding store has. */
export async function toHeld(
  { generation: { modelId } }: HeldGeneration,
  scope: ProjectScope,
  memories: readonly Memory[],
): Promise<HeldMemory[]> {
  const lexemes = await readLexemes(
    scope,
    memories.map(({ state }) => lexicalText(state)),
  )
  const texts = memories.map(({ state }) => embeddedTextOf(state))
  const hashes = texts.map((text) => contentHash(text).toString('hex'))
  const vectors = await readStoredVectors(scope, modelId, [...new Set(hashes)])
  return memories.map((memory, index) => ({
    memory,
    lexemes: new Set(lexemes.get(lexicalText(memory.state))),
    text: { hash: contentHash(texts[index] ?? ''), text: texts[index] ?? '' },
    chunks: memory.state.forgottenAt === null ? (vectors.get(hashes[index] ?? '') ?? []) : [],
  }))
}

/**
 * Replaces what is held of these memories, and queues the texts that lack vectors. Call it last in the
 * transaction. If the transaction fails afterwards, the content is ahead of the position, and the same batch
 * comes again.
 */
export async function hold(
  trx: DatabaseTransaction,
  { generation: { modelId }, projects }: HeldGeneration,
  projectId: string,
  memories: readonly HeldMemory[],
  gone: readonly string[] = [],
): Promise<void> {
  await queueTexts(
    trx,
    { projectId, modelId },
    memories.filter(waits).map(({ text }) => text),
  )
  const project = projects.get(projectId) ?? new Map<string, HeldMemory>()
  projects.set(projectId, project)
  for (const memoryId of gone) project.delete(memoryId)
  for (const one of memories) project.set(one.memory.state.id, one)
}

/** Takes over the vectors that the embedding store has by now for memories that wait. */
export async function fill(held: HeldGeneration, scope: ProjectScope): Promise<void> {
  const project = held.projects.get(scope.projectId) ?? new Map<string, HeldMemory>()
  const waiting = [...project.values()].filter(waits)
  // Skips a memory that got a later version meanwhile.
  for (const one of await toHeld(
    held,
    scope,
    waiting.map(({ memory }) => memory),
  ))
    if (project.get(one.memory.state.id)?.memory.version === one.memory.version)
      project.set(one.memory.state.id, one)
}
