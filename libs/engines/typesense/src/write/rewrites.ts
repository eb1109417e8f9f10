import type { Database } from '@daybook/postgres/connect'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import { PositionMoved } from '@daybook/projection/projection'
import { sql } from 'kysely'
import { appliedMemories } from './applied-memories.ts'
import { ImportRefusedError } from './import-documents.ts'
import { postMemories, recordPosted } from './write-memories.ts'
import type { Posting } from './writer.ts'
import { saveNotes } from './note-rewrites.ts'
import { underClaim } from './with-project-lease.ts'

/** Memories posted again together. */
const MEMORIES_PER_POST = 50

/** Posts again what is noted. @throws TypesenseUnavailableError */
export async function repostNoted(db: Database, posting: Posting): Promise<void> {
  if (posting.unnoted.size > 0) await saveNotes(db, posting)
  const { rows } = await sql<{ project_id: string; memory_ids: string[] }>`
    select project_id, array_agg(memory_id::text) as memory_ids from typesense_reposts
    where generation = ${posting.generation.generation} group by project_id`.execute(db)
  for (const { project_id, memory_ids } of rows) {
    const scope = projectScope(db, project_id)
    for (let from = 0; from < memory_ids.length; from += MEMORIES_PER_POST)
      await repostTogether(posting, scope, memory_ids.slice(from, from + MEMORIES_PER_POST))
  }
}

async function repostTogether(
  posting: Posting,
  scope: ProjectScope,
  memoryIds: readonly string[],
): Promise<void> {
  try {
    await repost(posting, scope, memoryIds)
  } catch (error) {
    if (error instanceof PositionMoved) return // Whoever is at work there will be done in a moment: the next round.
    if (!(error instanceof ImportRefusedError)) throw error
    if (memoryIds.length > 1)
      for (const memoryId of memoryIds) await repostTogether(posting, scope, [memoryId])
    else
      posting.logger.warn({ error, projectId: scope.projectId, memoryIds }, 'a memory cannot be posted again')
  }
}

async function repost(posting: Posting, scope: ProjectScope, memoryIds: readonly string[]): Promise<void> {
  await underClaim(posting, scope, null, async (held) => {
    // Read under the claim: a note that is made later is not this one, and stays.
    const notes = await scope.db
      .selectFrom('typesense_reposts')
      .select(['memory_id', 'note'])
      .where('generation', '=', posting.place.generation)
      .where('project_id', '=', scope.projectId)
      .where(sql<boolean>`memory_id = any(${memoryIds}::uuid[])`)
      .execute()
    const memories = await appliedMemories(scope, posting.place, {
      memoryIds: notes.map((note) => note.memory_id),
      position: held.position.sequence,
    })
    const posted = await postMemories(posting, held, memories)
    await held.commit(async (trx) => {
      await recordPosted(trx, posting, scope.projectId, posted)
      await trx
        .deleteFrom('typesense_reposts')
        .where('generation', '=', posting.place.generation)
        .where('project_id', '=', scope.projectId)
        .where(sql<boolean>`(memory_id, note) in (
          select * from unnest(${notes.map((note) => note.memory_id)}::uuid[], ${notes.map((note) => note.note)}::uuid[]))`)
        .execute()
    })
  })
}
