import { isDeepStrictEqual } from 'node:util'
import { contentHash } from '@daybook/embeddings/store'
import { readJournal } from '@daybook/journal/read'
import type { JournalEvent } from '@daybook/memory/events'
import { embeddedTextOf, type Memory } from '@daybook/memory/state'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { Generation } from '@daybook/projection/generations'
import { readPosition } from '@daybook/projection/positions'
import { sql } from 'kysely'
import type { JsonDocument, TypesenseClient } from '../client.ts'
import { collectionName } from '../collection.ts'
import { documentsOf, type VectorChunk } from '../document.ts'
import { TYPESENSE } from '../generation.ts'
import { readStoredVectors } from '../stored-vectors.ts'

/** Where the documents are that are to be held against the journal. */
export interface CheckedCollection {
  readonly client: TypesenseClient
  readonly generation: Generation
  /** As in `PostingOptions`. */
  readonly base?: string
}

/** Differences named; an empty collection would else name every memory. */
const NAMED = 50

/**
 * Holds all documents that Typesense has of a project against the journal. Each memory's are those of its state at the
 * position, every field and every chunk of them; with the vectors of the embedding store, unless the memory is noted as
 * waiting for them, and then its text is in the store's queue.
 *
 * A memory with events beyond the position, or with parked ones, may be ahead: documents are written before the position
 * moves. It is never behind. Documents and tables are read one after the other, so let projectors rest meanwhile.
 *
 * @returns every difference in words; empty where there is none
 */
export async function checkTypesense(scope: ProjectScope, checked: CheckedCollection): Promise<string[]> {
  const documents = await exportDocuments(scope, checked)
  const timelines = await readTimelines(scope, checked.generation)
  const pending = await readPending(scope, checked.generation)
  const vectors = await readStoredVectors(scope.db, checked.generation.modelId, hashesOf(timelines))
  const differences = await checkPending(scope, checked.generation, timelines, pending)

  for (const [memoryId, { applied, later }] of timelines) {
    const found = documents.filter((document) => document.memory_id === memoryId)
    const compare = (memory: Memory) =>
      compareMemory(scope.projectId, memory, found, { vectors, waits: pending.has(memoryId) })
    const problems = applied === null ? noDocuments(memoryId, found) : compare(applied)
    if (problems.length > 0 && !later.some((memory) => compare(memory).length === 0))
      differences.push(...problems)
  }
  for (const { id, memory_id } of documents)
    if (!timelines.has(String(memory_id))) differences.push(`document ${id} is of no memory in the journal`)
  const more = differences.length - NAMED
  return more > 0 ? [...differences.slice(0, NAMED), `and ${more} more differences`] : differences
}

/** All documents of a project, further chunks among them. */
export async function exportDocuments(
  { projectId }: ProjectScope,
  { client, generation, base }: CheckedCollection,
): Promise<JsonDocument[]> {
  const name = collectionName(generation.generation, base)
  const answer = await client.request(({ apiCall }) =>
    apiCall.get<unknown>(
      `/collections/${name}/documents/export`,
      { filter_by: `project_id:=\`${projectId}\`` },
      { responseType: 'text' },
    ),
  )
  const lines = typeof answer === 'string' ? answer.split('\n') : [JSON.stringify(answer)]
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as JsonDocument)
}

/** What a memory is at the position, and what it becomes by events that are parked or beyond the position. */
interface Timeline {
  applied: Memory | null
  readonly later: Memory[]
}

async function readTimelines(
  scope: ProjectScope,
  { generation }: Generation,
): Promise<Map<string, Timeline>> {
  const position = await readPosition(scope.db, { name: TYPESENSE, generation }, scope.projectId)
  const parkedRows = await scope.db
    .selectFrom('parked_events')
    .select('sequence')
    .where('projection', '=', TYPESENSE)
    .where('generation', '=', generation)
    .where('project_id', '=', scope.projectId)
    .execute()
  const parked = new Set(parkedRows.map((row) => row.sequence))
  const timelines = new Map<string, Timeline>()
  for (let after = 0; ; ) {
    const records = await readJournal(scope, { after, limit: 500 })
    if (records.length === 0) return timelines
    for (const { sequence, event } of records) {
      if (sequence !== after + 1) throw new Error(`the journal has a hole after ${after}`)
      after = sequence
      const applies = sequence <= position && !parked.has(sequence)
      if (event === null && applies) throw new Error(`the event ${sequence} cannot be read and is not parked`)
      if (event !== null) add(timelines, event, applies)
    }
  }
}

function add(timelines: Map<string, Timeline>, event: JournalEvent, applies: boolean): void {
  const timeline = timelines.get(event.memoryId) ?? { applied: null, later: [] }
  timelines.set(event.memoryId, timeline)
  const memory = { state: event.data.state, version: event.version, sequence: event.sequence }
  if (applies) timeline.applied = memory
  else timeline.later.push(memory)
}

const hashOf = ({ state }: Memory) => contentHash(embeddedTextOf(state)).toString('hex')
const hashesOf = (timelines: ReadonlyMap<string, Timeline>) => [
  ...new Set(
    [...timelines.values()].flatMap(({ applied, later }) =>
      [...(applied ? [applied] : []), ...later].map(hashOf),
    ),
  ),
]

/** Memory → the hash of the text whose vector it waits for. */
async function readPending(
  { db, projectId }: ProjectScope,
  { generation }: Generation,
): Promise<Map<string, string>> {
  const { rows } = await sql<{ memory_id: string; hash: string }>`
    select memory_id, encode(content_hash, 'hex') as hash from typesense_pending_vectors
    where generation = ${generation} and project_id = ${projectId}`.execute(db)
  return new Map(rows.map((row) => [row.memory_id, row.hash]))
}

async function checkPending(
  { db }: ProjectScope,
  { modelId }: Generation,
  timelines: ReadonlyMap<string, Timeline>,
  pending: ReadonlyMap<string, string>,
): Promise<string[]> {
  const { rows } = await sql<{ hash: string }>`
    select encode(content_hash, 'hex') as hash from embeddings
    where model_id = ${modelId} and content_hash = any(array(
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
  { vectors, waits }: { vectors: ReadonlyMap<string, VectorChunk[]>; waits: boolean },
): string[] {
  const { id } = memory.state
  const stored = vectors.get(hashOf(memory)) ?? []
  const live = memory.state.forgottenAt === null
  if (live && !waits && stored.length === 0)
    return [`memory ${id} does not wait for a vector, and the embedding store has none`]
  const complete = compareDocuments(documentsOf(projectId, memory, stored), found)
  if (!waits || complete.length === 0) return complete
  // Its vector may have been written a moment before the note of it was taken away.
  return compareDocuments(documentsOf(projectId, memory, []), found)
}

function compareDocuments(wanted: readonly JsonDocument[], found: readonly JsonDocument[]): string[] {
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

/** Typesense keeps vectors as 32-bit floats. */
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
