import type { Memory } from '@daybook/memory/state'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { Generation } from '@daybook/projection/generations/generations'
import { sql } from 'kysely'
import type { JsonDocument } from '../client/client.ts'
import { compareDocuments } from '../verify/compare-memories.ts'
import { documentsOf } from '../write/document.ts'
import { type CheckedCollection, type CheckedContents, hashOf, readContents } from './read-contents.ts'

/** The most differences reported, as an empty collection would report every memory. */
const NAMED = 50

/**
 * Compares all documents of a project with the journal. Each memory's documents must be those of its state at
 * the position, with every field and chunk. They must have the embedding store's vectors, unless the memory
 * is recorded as waiting for them; then its text must be in the store's queue.
 *
 * A memory with parked events or events beyond the position may be ahead, because documents are written
 * before the position moves. It must never be behind. May run beside projectors, if they pause now and then
 * (`readContents`).
 *
 * @returns every difference in words; empty if there is none
 */
export async function checkTypesense(scope: ProjectScope, checked: CheckedCollection): Promise<string[]> {
  const contents = await readContents(scope, checked)
  const { documents, timelines, pending, vectors, lexemes } = contents
  const differences = await checkPending(scope, checked.generation, contents)

  const found = new Map<string, JsonDocument[]>()
  for (const document of documents) {
    const memoryId = String(document.memory_id)
    const ofMemory = found.get(memoryId) ?? []
    found.set(memoryId, ofMemory)
    ofMemory.push(document)
  }
  for (const [memoryId, { applied, later }] of timelines) {
    const ofMemory = found.get(memoryId) ?? []
    const compare = (memory: Memory) =>
      compareMemory(scope.projectId, memory, ofMemory, { vectors, lexemes, waits: pending.has(memoryId) })
    const problems = applied === null ? noDocuments(memoryId, ofMemory) : compare(applied)
    if (problems.length > 0 && !later.some((memory) => compare(memory).length === 0))
      differences.push(...problems)
  }
  for (const { id, memory_id } of documents)
    if (!timelines.has(String(memory_id))) differences.push(`document ${id} is of no memory in the journal`)
  const more = differences.length - NAMED
  return more > 0 ? [...differences.slice(0, NAMED), `and ${more} more differences`] : differences
}

async function checkPending(
  { db, projectId }: ProjectScope,
  { modelId }: Generation,
  { timelines, pending }: CheckedContents,
): Promise<string[]> {
  const { rows } = await sql<{ hash: string }>`
    select encode(content_hash, 'hex') as hash from embeddings
    where project_id = ${projectId} and model_id = ${modelId} and content_hash = any(array(
      select decode(hash, 'hex') from unnest(${[...pending.values()]}::text[]) as hash))`.execute(db)
  const known = new Set(rows.map((row) => row.hash))
  const differences: string[] = []
  for (const [memoryId, hash] of pending) {
    const applied = timelines.get(memoryId)?.applied ?? null
    if (applied === null || applied.state.forgottenAt !== null)
      differences.push(`memory ${memoryId} waits for a vector and is not remembered`)
    else if (hashOf(applied) !== hash)
      differences.push(`memory ${memoryId} waits for the vector of another text than its own`)
    if (!known.has(hash))
      differences.push(`memory ${memoryId} waits for a vector of a text that is not in the embedding store`)
  }
  return differences
}

const noDocuments = (memoryId: string, found: readonly JsonDocument[]) =>
  found.map(({ id }) => `document ${id} is there, but no event of memory ${memoryId} was applied`)

function compareMemory(
  projectId: string,
  memory: Memory,
  found: readonly JsonDocument[],
  { vectors, lexemes, waits }: Pick<CheckedContents, 'vectors' | 'lexemes'> & { waits: boolean },
): string[] {
  const { id } = memory.state
  const stored = vectors.get(hashOf(memory)) ?? []
  const live = memory.state.forgottenAt === null
  if (live && !waits && stored.length === 0)
    return [`memory ${id} does not wait for a vector, and the embedding store has none`]
  const complete = compareDocuments(documentsOf(projectId, memory, { chunks: stored, lexemes }), found)
  if (!waits || complete.length === 0) return complete
  // Its vector may have been written just before its waiting entry was deleted.
  return compareDocuments(documentsOf(projectId, memory, { chunks: [], lexemes }), found)
}
