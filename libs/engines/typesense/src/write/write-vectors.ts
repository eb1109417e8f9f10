import { readStoredVectors } from '@daybook/embeddings/store'
import type { Database } from '@daybook/postgres/connect'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import { appliedStates } from '@daybook/projection/apply/applied-memories'
import { PositionMoved } from '@daybook/projection/projection'
import { type SqlBool, sql } from 'kysely'
import { documentId, vectorFields } from './document.ts'
import { ImportRefusedError, importDocuments } from './import-documents.ts'
import { type LeasedProject, withProjectLease } from './with-project-lease.ts'
import { recordWritten, writeMemories } from './write-memories.ts'
import type { GenerationWriter } from './writer.ts'

/** Memories whose vectors are written together: with 384 numbers each, about half a megabyte. */
const MEMORIES_PER_WRITE = 100

/** Waiting memories per page that are checked for vectors. */
const WAITING_PER_PAGE = 500

interface MemoryWithoutVector {
  readonly project_id: string
  readonly memory_id: string
}

/**
 * Writes vectors that have just been stored to the documents that wait for them, in every project.
 * @param hashes of the texts, of any project
 * @returns false if another replica was working on one of the projects, so that some memories still wait
 * @throws TypesenseUnavailableError
 */
export async function writeVectors(
  db: Database,
  writer: GenerationWriter,
  hashes: readonly Buffer[],
): Promise<boolean> {
  const hex = hashes.map((hash) => hash.toString('hex'))
  const { rows } = await sql<MemoryWithoutVector>`
    select project_id, memory_id from typesense_pending_vectors
    where generation = ${writer.generation.generation}
      and content_hash = any(array(select decode(hash, 'hex') from unnest(${hex}::text[]) as hash))`.execute(
    db,
  )
  return writeWaiting(db, writer, rows)
}

/**
 * The same for all documents that wait: for vectors that other processes stored, and for those that were
 * stored at the moment in which their memory was written.
 * @throws TypesenseUnavailableError
 */
export async function writeAllVectors(db: Database, writer: GenerationWriter): Promise<void> {
  const { generation, modelId } = writer.generation
  const first = '00000000-0000-0000-0000-000000000000'
  for (let after: MemoryWithoutVector = { project_id: first, memory_id: first }; ; ) {
    const { rows } = await sql<MemoryWithoutVector & { ready: boolean | null }>`
      select waiting.project_id, waiting.memory_id,
        (select embedded_at is not null from embeddings
          where project_id = waiting.project_id and model_id = ${modelId}
            and content_hash = waiting.content_hash) as ready
      from (
        select project_id, memory_id, content_hash from typesense_pending_vectors
        where generation = ${generation} and (project_id, memory_id) > (${after.project_id}::uuid, ${after.memory_id}::uuid)
        order by project_id, memory_id limit ${WAITING_PER_PAGE}
      ) waiting
      order by project_id, memory_id`.execute(db)
    await writeWaiting(
      db,
      writer,
      rows.filter((row) => row.ready === true),
    )
    const last = rows.at(-1)
    if (last === undefined || rows.length < WAITING_PER_PAGE) return
    after = last
  }
}

async function writeWaiting(
  db: Database,
  writer: GenerationWriter,
  waiting: readonly MemoryWithoutVector[],
): Promise<boolean> {
  let all = true
  for (const projectId of new Set(waiting.map((row) => row.project_id))) {
    const ids = waiting.filter((row) => row.project_id === projectId).map((row) => row.memory_id)
    for (let from = 0; from < ids.length; from += MEMORIES_PER_WRITE)
      all =
        (await writeProject(
          writer,
          projectScope(db, projectId),
          ids.slice(from, from + MEMORIES_PER_WRITE),
        )) && all
  }
  return all
}

async function writeProject(
  writer: GenerationWriter,
  scope: ProjectScope,
  memoryIds: readonly string[],
): Promise<boolean> {
  try {
    await withProjectLease(writer, scope, null, (held) => giveVectors(writer, held, memoryIds))
    return true
  } catch (error) {
    // Another replica has the project. The memories keep waiting, and the next round finds them.
    if (error instanceof PositionMoved) return false
    if (!(error instanceof ImportRefusedError)) throw error
    writer.logger.warn({ error, projectId: scope.projectId }, 'vectors were refused; trying again')
    return true
  }
}

/**
 * Writes vectors under the lease, while nobody else writes these documents. A waiting entry belongs to the
 * last write: a memory that was revised or forgotten meanwhile waits for another text, or for none. Documents
 * are only updated, never created, so that nothing deleted comes back.
 */
async function giveVectors(
  writer: GenerationWriter,
  held: LeasedProject,
  memoryIds: readonly string[],
): Promise<void> {
  const { generation, modelId } = writer.generation
  const { db, projectId } = held.scope
  const pending = await db
    .selectFrom('typesense_pending_vectors')
    .select(['memory_id', 'content_hash'])
    .where('generation', '=', generation)
    .where('project_id', '=', projectId)
    .where(sql<SqlBool>`memory_id = any(${memoryIds}::uuid[])`)
    .execute()
  const rows = pending.map((row) => ({ memory_id: row.memory_id, hash: row.content_hash.toString('hex') }))
  const vectors = await readStoredVectors(held.scope, modelId, [...new Set(rows.map(({ hash }) => hash))])
  const ready = rows.filter(({ hash }) => vectors.has(hash))

  const single = ready.filter(({ hash }) => vectors.get(hash)?.length === 1)
  const memoryOf = new Map(single.map((row) => [documentId(projectId, row.memory_id), row.memory_id]))
  const updates = single.flatMap(({ memory_id, hash }) => {
    const chunk = vectors.get(hash)?.[0]
    return chunk === undefined ? [] : [{ id: documentId(projectId, memory_id), ...vectorFields(chunk) }]
  })
  const refused = await importDocuments(writer, held, 'update', updates, ({ id }) => memoryOf.get(id) ?? id)
  const absent = refused.filter(({ code }) => code === 404)
  if (absent.length < refused.length)
    throw new ImportRefusedError(
      refused.filter(({ code }) => code !== 404),
      updates.length,
    )

  // Two kinds of memories are written whole: those with several chunks, as further chunks are documents of
  // their own with what filters need, and those whose document Typesense has lost.
  const whole = [
    ...ready.filter(({ hash }) => (vectors.get(hash)?.length ?? 0) > 1).map((row) => row.memory_id),
    ...absent.map(({ document }) => memoryOf.get(document.id) ?? document.id),
  ]
  const memories =
    whole.length === 0
      ? []
      : await appliedStates(held.scope, writer.place, {
          memoryIds: whole,
          position: held.position.sequence,
        })
  const written = await writeMemories(writer, held, memories)

  await held.commit(async (trx) => {
    await recordWritten(trx, writer, projectId, written)
    await sql`
      delete from typesense_pending_vectors
      where generation = ${generation} and project_id = ${projectId}
        and memory_id = any(${single.map((row) => row.memory_id)}::uuid[])`.execute(trx)
  })
}
