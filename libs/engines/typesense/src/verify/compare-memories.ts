import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { readStoredVectors, type VectorChunk } from '@daybook/embeddings/store'
import { contentHash } from '@daybook/memory/content'
import { lexicalText } from '@daybook/memory/lexical-text'
import { embeddedTextOf, type Memory } from '@daybook/memory/state'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { appliedStates } from '@daybook/projection/apply/applied-memories'
import type { Generation } from '@daybook/projection/generations/generations'
import type { ComparedMemory, ComparedPage } from '@daybook/projection/verify/verifiable'
import { sql } from 'kysely'
import type { JsonDocument, TypesenseClient } from '../client/client.ts'
import { documentsOf } from '../write/document.ts'
import { withProjectLease } from '../write/with-project-lease.ts'
import { type GenerationWriter, readWords } from '../write/writer.ts'

/**
 * Compares the documents of memories with those that follow from the journal, every field and chunk, with the
 * embedding store's vectors. It holds the project's lease, so that nobody writes meanwhile and the position
 * does not move.
 * @throws PositionMoved if another process has the project: try again
 */
export async function compareMemories(
  writer: GenerationWriter,
  scope: ProjectScope,
  memoryIds: readonly string[],
): Promise<ComparedPage> {
  let compared: ComparedPage = { memories: [], pending: 0 }
  await withProjectLease(writer, scope, null, async (held) => {
    compared = await compareAt(writer, scope, memoryIds, held.position.sequence)
    await held.commit(async () => {})
  })
  return compared
}

async function compareAt(
  { client, collection, generation, place }: GenerationWriter,
  scope: ProjectScope,
  memoryIds: readonly string[],
  position: number,
): Promise<ComparedPage> {
  const memories = new Map(
    (await appliedStates(scope, place, { memoryIds, position })).map((memory) => [memory.state.id, memory]),
  )
  const waiting = await readWaiting(scope, generation, memoryIds)
  const hashes = new Set([...memories.values()].map(hashOf))
  const vectors = await readStoredVectors(scope, generation.modelId, [...hashes])
  const lexemes = await readWords(
    scope,
    [...memories.values()].map(({ state }) => lexicalText(state)),
  )
  const found = new Map<string, JsonDocument[]>()
  for (let from = 0; from < memoryIds.length; from += IDS_PER_FILTER) {
    const filter = ofMemories(scope.projectId, memoryIds.slice(from, from + IDS_PER_FILTER))
    for (const document of await exportDocuments(client, collection, filter)) {
      const memoryId = String(document.memory_id)
      found.set(memoryId, [...(found.get(memoryId) ?? []), document])
    }
  }
  return {
    memories: memoryIds.map((memoryId) =>
      compareMemory(scope.projectId, {
        memoryId,
        memory: memories.get(memoryId) ?? null,
        found: found.get(memoryId) ?? [],
        waits: waiting.has(memoryId),
        vectors,
        lexemes,
      }),
    ),
    pending: waiting.size,
  }
}

const hashOf = ({ state }: Memory) => contentHash(embeddedTextOf(state)).toString('hex')

/**
 * The memories that wait for the vectors of a text that is in the queue or has just left it. Others wait in
 * vain and are not included.
 */
async function readWaiting(
  { db, projectId }: ProjectScope,
  { generation, modelId }: Pick<Generation, 'generation' | 'modelId'>,
  memoryIds: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ memory_id: string }>`
    select memory_id from typesense_pending_vectors p
    where generation = ${generation} and project_id = ${projectId} and memory_id = any(${memoryIds}::uuid[])
      and exists (
        select from embeddings
        where project_id = p.project_id and model_id = ${modelId} and content_hash = p.content_hash offset 0)`.execute(
    db,
  )
  return new Set(rows.map((row) => row.memory_id))
}

interface StoredMemory {
  readonly memoryId: string
  readonly memory: Memory | null
  readonly found: readonly JsonDocument[]
  readonly waits: boolean
  readonly vectors: ReadonlyMap<string, VectorChunk[]>
  readonly lexemes: ReadonlyMap<string, string>
}

const digest = (documents: readonly JsonDocument[]): string | null =>
  documents.length === 0 ? null : createHash('sha256').update(JSON.stringify(documents)).digest('hex')

/**
 * Compares one memory. Typesense stores vectors as 32-bit floats, so they are compared within a tolerance. If
 * nothing differs, `held` therefore gets the digest of what is wanted.
 */
function compareMemory(
  projectId: string,
  { memoryId, memory, found, waits, vectors, lexemes }: StoredMemory,
): ComparedMemory {
  const stored = memory === null ? [] : (vectors.get(hashOf(memory)) ?? [])
  const lacksVectors = memory !== null && memory.state.forgottenAt === null && !waits && stored.length === 0
  const wanted = memory === null ? [] : documentsOf(projectId, memory, { chunks: stored, lexemes })
  // A vector may have been written just before its waiting entry was deleted.
  const without = memory === null ? [] : documentsOf(projectId, memory, { chunks: [], lexemes })
  const same =
    compareDocuments(wanted, found).length === 0 || (waits && compareDocuments(without, found).length === 0)
  return {
    memoryId,
    wanted: digest(wanted),
    held: same ? digest(wanted) : digest(found),
    differs: [
      ...(!same && found.length === 0 ? ['missing'] : []),
      ...(!same && found.length > 0 ? [memory === null ? 'surplus' : 'documents'] : []),
      ...(lacksVectors ? ['vectors'] : []),
    ],
  }
}

/**
 * Compares a memory's documents with the wanted ones.
 * @returns the differences in words; empty if there are none
 */
export function compareDocuments(wanted: readonly JsonDocument[], found: readonly JsonDocument[]): string[] {
  const byId = new Map(found.map((document) => [document.id, document]))
  const problems: string[] = []
  for (const document of wanted) {
    const is = byId.get(document.id)
    byId.delete(document.id)
    if (is === undefined) problems.push(`document ${document.id} is missing`)
    else
      for (const name of new Set([...Object.keys(document), ...Object.keys(is)]))
        if (!isSame(document[name], is[name]))
          problems.push(
            `document ${document.id} has ${name} ${show(is[name])}, the journal says ${show(document[name])}`,
          )
  }
  for (const surplus of byId.keys()) problems.push(`document ${surplus} should not be there`)
  return problems
}

/** Typesense stores vectors as 32-bit floats. */
const TOLERANCE = 1e-5

function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other) && typeof one[0] === 'number')
    return (
      one.length === other.length &&
      one.every((number, index) => Math.abs(number - (other[index] as number)) <= TOLERANCE)
    )
  return isDeepStrictEqual(one, other)
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

/** A filter for a project's documents. Ids come from uuid columns, so they cannot leave the quotes. */
export const ofProject = (projectId: string): string => `project_id:=\`${projectId}\``

/** The same for some of the project's memories, at most `IDS_PER_FILTER`. */
export const ofMemories = (projectId: string, memoryIds: readonly string[]): string =>
  `${ofProject(projectId)} && memory_id:=[${memoryIds.map((id) => `\`${id}\``).join(',')}]`

/**
 * The most ids in one filter: 60 quoted and encoded UUIDs fit into the 4,000 characters of a query string.
 */
export const IDS_PER_FILTER = 60

/**
 * All documents that match a filter, including those of further chunks. @param fields to return; default all
 */
export async function exportDocuments(
  client: TypesenseClient,
  collection: string,
  filter: string,
  fields: readonly string[] = [],
): Promise<JsonDocument[]> {
  const answer = await client.request(({ apiCall }) =>
    apiCall.get<unknown>(
      `/collections/${collection}/documents/export`,
      { filter_by: filter, ...(fields.length > 0 && { include_fields: fields.join(',') }) },
      { responseType: 'text' },
    ),
  )
  const lines = typeof answer === 'string' ? answer.split('\n') : [JSON.stringify(answer)]
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as JsonDocument)
}
