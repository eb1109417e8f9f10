import { isDeepStrictEqual } from 'node:util'
import { readStoredVectors, type VectorChunk } from '@daybook/embeddings/store'
import { readJournal } from '@daybook/journal/read/read'
import { contentHash } from '@daybook/memory/content'
import type { JournalEvent } from '@daybook/memory/events'
import { lexicalText } from '@daybook/memory/lexical-text'
import { embeddedTextOf, type Memory } from '@daybook/memory/state'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { Generation } from '@daybook/projection/generations/generations'
import { readPosition } from '@daybook/projection/positions/positions'
import { pause } from '@daybook/runtime/backoff'
import { sql } from 'kysely'
import type { JsonDocument, TypesenseClient } from '../client/client.ts'
import { exportDocuments, ofProject } from '../verify/compare-memories.ts'
import { collectionName } from '../write/collection.ts'
import { TYPESENSE } from '../write/generation.ts'
import { readWords } from '../write/writer.ts'

/** The collection that is compared with the journal. */
export interface CheckedCollection {
  readonly client: TypesenseClient
  readonly generation: Generation
  /** As in `GenerationWriterOptions`. */
  readonly base?: string
  /** Milliseconds to wait until projectors pause. Default 240,000. */
  readonly restMs?: number
}

/** Everything that is compared, as of one moment. */
export interface CheckedContents {
  readonly documents: readonly JsonDocument[]
  readonly timelines: ReadonlyMap<string, Timeline>
  /** Memory → the hash of the text whose vector it waits for. */
  readonly pending: ReadonlyMap<string, string>
  /** The vectors of embedded texts, by hash. */
  readonly vectors: ReadonlyMap<string, VectorChunk[]>
  /** By lexical text. */
  readonly lexemes: ReadonlyMap<string, string>
}

/**
 * Reads documents and tables. They are no snapshot: if a projector has written meanwhile, or memories are
 * waiting to be rewritten, they are read again, for at most `restMs`.
 */
export async function readContents(
  scope: ProjectScope,
  checked: CheckedCollection,
): Promise<CheckedContents> {
  const { client, generation, base, restMs = 240_000 } = checked
  for (const deadline = Date.now() + restMs; ; await pause(100)) {
    const before = await readActivity(scope, generation)
    if (!before.rests && Date.now() < deadline) continue
    const documents = await exportDocuments(
      client,
      collectionName(generation.generation, base),
      ofProject(scope.projectId),
    )
    const timelines = await readTimelines(scope, generation)
    const pending = await readPending(scope, generation)
    const vectors = await readStoredVectors(scope, generation.modelId, hashesOf(timelines))
    const after = await readActivity(scope, generation)
    if (isDeepStrictEqual(before, after) || Date.now() >= deadline)
      return { documents, timelines, pending, vectors, lexemes: await lexemesOf(scope, timelines) }
  }
}

/** What changes whenever a projector writes documents of the project. */
async function readActivity({ db, projectId }: ProjectScope, { generation }: Generation) {
  const { rows } = await sql<{ rests: boolean; position: number; pending: string }>`
    select
      not exists (
        select from positions where projection = ${TYPESENSE} and generation = ${generation}
          and project_id = ${projectId} and leased_until > clock_timestamp())
      and not exists (
        select from typesense_reposts where generation = ${generation} and project_id = ${projectId}) as rests,
      coalesce((
        select position from positions where projection = ${TYPESENSE} and generation = ${generation}
          and project_id = ${projectId}), 0) as position,
      (select coalesce(string_agg(memory_id::text, ',' order by memory_id), '') from typesense_pending_vectors
        where generation = ${generation} and project_id = ${projectId}) as pending`.execute(db)
  return rows[0] ?? { rests: true, position: 0, pending: '' }
}

/** A memory at the position, and the states that parked or later events give it. */
export interface Timeline {
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
    for (const record of records) {
      const { sequence, memoryId } = record
      if (sequence !== after + 1) throw new Error(`the journal has a hole after ${after}`)
      after = sequence
      const applies = sequence <= position && !parked.has(sequence)
      if (record.status === 'opaque' && applies)
        throw new Error(`the event ${sequence} cannot be read and is not parked`)
      if (record.status === 'readable') add(timelines, record.event, applies)
      if (record.status === 'erased' && applies) timelines.set(memoryId, { applied: null, later: [] })
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

const memoriesOf = (timelines: ReadonlyMap<string, Timeline>) =>
  [...timelines.values()].flatMap(({ applied, later }) => [...(applied ? [applied] : []), ...later])
const lexemesOf = (scope: ProjectScope, timelines: ReadonlyMap<string, Timeline>) =>
  readWords(
    scope,
    memoriesOf(timelines).map(({ state }) => lexicalText(state)),
  )
/** The hash of a memory's embedded text, hexadecimal. */
export const hashOf = ({ state }: Memory) => contentHash(embeddedTextOf(state)).toString('hex')
const hashesOf = (timelines: ReadonlyMap<string, Timeline>) => [...new Set(memoriesOf(timelines).map(hashOf))]
