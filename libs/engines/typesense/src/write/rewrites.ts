import type { Database } from '@daybook/postgres/connect'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import { appliedStates } from '@daybook/projection/apply/applied-memories'
import { PositionMoved } from '@daybook/projection/projection'
import { sql } from 'kysely'
import { ImportRefusedError } from './import-documents.ts'
import { saveNotes } from './note-rewrites.ts'
import { withProjectLease } from './with-project-lease.ts'
import { recordWritten, writeMemories } from './write-memories.ts'
import type { GenerationWriter } from './writer.ts'

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
