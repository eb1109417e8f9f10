import { requeueLostTexts } from '@daybook/embeddings/store'
import type { JournalCursor } from '@daybook/memory/events'
import type { Database, DatabaseTransaction } from '@daybook/postgres/connect'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import { appliedStates } from '@daybook/projection/apply/applied-memories'
import { PositionMoved } from '@daybook/projection/projection'
import type { RewriteOptions } from '@daybook/projection/verify/verifiable'
import { sql } from 'kysely'
import { orNull } from '../client/errors.ts'
import { exportDocuments, IDS_PER_FILTER, ofMemories, ofProject } from '../verify/compare-memories.ts'
import { ImportRefusedError } from './import-documents.ts'
import { type LeasedProject, withProjectLease } from './with-project-lease.ts'
import { recordWritten, writeMemories } from './write-memories.ts'
import { type GenerationWriter, saveNotes } from './writer.ts'

/** Memories rewritten together. */
const MEMORIES_PER_WRITE = 50

/** Rewrites the recorded memories. @throws TypesenseUnavailableError */
export async function rewriteNoted(db: Database, writer: GenerationWriter): Promise<void> {
  if (writer.unnoted.size > 0) await saveNotes(db, writer)
  const { rows } = await sql<{ project_id: string; memory_ids: string[] }>`
    select project_id, array_agg(memory_id::text) as memory_ids from typesense_reposts
    where generation = ${writer.generation.generation} group by project_id`.execute(db)
  for (const { project_id, memory_ids } of rows) {
    const scope = projectScope(db, project_id)
    for (let from = 0; from < memory_ids.length; from += MEMORIES_PER_WRITE)
      await rewriteTogether(writer, scope, memory_ids.slice(from, from + MEMORIES_PER_WRITE))
  }
}

async function rewriteTogether(
  writer: GenerationWriter,
  scope: ProjectScope,
  memoryIds: readonly string[],
): Promise<void> {
  try {
    await rewrite(writer, scope, memoryIds)
  } catch (error) {
    if (error instanceof PositionMoved) return // Another process is at work there: the next round.
    if (!(error instanceof ImportRefusedError)) throw error
    if (memoryIds.length > 1)
      for (const memoryId of memoryIds) await rewriteTogether(writer, scope, [memoryId])
    else writer.logger.warn({ error, projectId: scope.projectId, memoryIds }, 'a memory cannot be rewritten')
  }
}

async function rewrite(
  writer: GenerationWriter,
  scope: ProjectScope,
  memoryIds: readonly string[],
): Promise<void> {
  await withProjectLease(writer, scope, null, async (held) => {
    // Read under the lease: a record that is made later has another note and stays.
    const notes = await scope.db
      .selectFrom('typesense_reposts')
      .select(['memory_id', 'note'])
      .where('generation', '=', writer.place.generation)
      .where('project_id', '=', scope.projectId)
      .where(sql<boolean>`memory_id = any(${memoryIds}::uuid[])`)
      .execute()
    const memories = await appliedStates(scope, writer.place, {
      memoryIds: notes.map((note) => note.memory_id),
      position: held.position.sequence,
    })
    // One that was erased meanwhile has no state. A late call may have written it after its documents were deleted.
    const there = new Set(memories.map(({ state }) => state.id))
    const gone = notes.map((note) => note.memory_id).filter((memoryId) => !there.has(memoryId))
    const written = await writeMemories(writer, held, memories, gone)
    await held.commit(async (trx) => {
      await recordWritten(trx, writer, scope.projectId, written)
      await trx
        .deleteFrom('typesense_reposts')
        .where('generation', '=', writer.place.generation)
        .where('project_id', '=', scope.projectId)
        .where(sql<boolean>`(memory_id, note) in (
          select * from unnest(${notes.map((note) => note.memory_id)}::uuid[], ${notes.map((note) => note.note)}::uuid[]))`)
        .execute()
    })
  })
}

/** What remains to be recorded in the transaction that releases the project. */
type Record = (trx: DatabaseTransaction) => Promise<void>

/**
 * Rewrites memories as of a sequence in the journal, and deletes their other documents: all of them if the
 * journal has no event of the memory up to there.
 */
export async function writeAsOf(
  writer: GenerationWriter,
  held: LeasedProject,
  memoryIds: readonly string[],
  { sequence, ...options }: { readonly sequence: number } & RewriteOptions,
): Promise<Record> {
  const { scope } = held
  const memories = await appliedStates(scope, writer.place, {
    ...options,
    memoryIds,
    position: sequence,
  })
  const written = await writeMemories(writer, held, memories)
  // Surplus documents are deleted afterwards, so that no memory is missing for a moment.
  const wanted = new Set(written.flatMap(({ documentIds }) => documentIds))
  for (let from = 0; from < memoryIds.length; from += IDS_PER_FILTER) {
    const page = memoryIds.slice(from, from + IDS_PER_FILTER)
    const filter = ofMemories(scope.projectId, page)
    for (const { id } of await exportDocuments(writer.client, writer.collection, filter, ['id']))
      if (!wanted.has(id)) await held.write(page, () => deleteDocument(writer, id))
  }
  return async (trx) => {
    const lacking = written.flatMap((one) => one.lacking ?? [])
    await requeueLostTexts(trx, { projectId: scope.projectId, modelId: writer.generation.modelId }, lacking)
    await recordWritten(trx, writer, scope.projectId, written)
  }
}

/**
 * Takes a project's documents back to a cursor: memories that changed after it become what they were then.
 */
export async function takeBack(
  writer: GenerationWriter,
  held: LeasedProject,
  { sequence }: JournalCursor,
): Promise<Record> {
  const { client, collection } = writer
  const filter = `${ofProject(held.scope.projectId)} && sequence:>${sequence}`
  const documents = await exportDocuments(client, collection, filter, ['memory_id'])
  const memoryIds = [...new Set(documents.map(({ memory_id }) => String(memory_id)))]
  const records: Record[] = []
  for (let from = 0; from < memoryIds.length; from += IDS_PER_FILTER)
    records.push(await writeAsOf(writer, held, memoryIds.slice(from, from + IDS_PER_FILTER), { sequence }))
  return async (trx) => {
    for (const record of records) await record(trx)
  }
}

async function deleteDocument({ client, collection }: GenerationWriter, id: string): Promise<void> {
  await orNull(client.request((typesense) => typesense.collections(collection).documents(id).delete()))
}
