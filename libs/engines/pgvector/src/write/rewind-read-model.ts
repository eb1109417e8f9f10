import { countLexicalStats } from '@daybook/lexical-index/write'
import type { JournalCursor } from '@daybook/memory/events'
import type { Queryable } from '@daybook/postgres/connect'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { Generation } from '@daybook/projection/generations/generations'
import { holdPosition } from '@daybook/projection/positions/positions'
import { rewindPosition } from '@daybook/projection/positions/rewind-position'
import { PositionMoved } from '@daybook/projection/projection'
import { sql } from 'kysely'
import { type GenerationTables, generationTables, PGVECTOR } from '../generation-tables.ts'
import { rewriteMemories } from './rewrite-memories.ts'

/**
 * Memories taken back in one transaction. The embedded database takes about 100 ms for it, and everybody else
 * waits meanwhile.
 */
const PAGE = 100

/**
 * Takes the rows of a project back to an earlier cursor. A memory has changed since if its row has a later
 * sequence. It is rewritten as of the cursor, or removed if it is newer. The position moves last, so that
 * another process that takes over starts again.
 * @throws PositionMoved if the position is not `from`
 */
export async function rewindReadModel(
  scope: ProjectScope,
  generation: Generation,
  { from, to }: { readonly from: JournalCursor; readonly to: JournalCursor },
): Promise<void> {
  const { db, projectId } = scope
  const ref = { name: PGVECTOR, generation: generation.generation }
  const tables = generationTables(generation.generation)
  const changed = await changedAfter(db, tables, projectId, to.sequence)
  for (let start = 0; start < changed.length; start += PAGE)
    await rewriteMemories(scope, generation, changed.slice(start, start + PAGE), { rewound: { from, to } })
  await db.transaction().execute(async (trx) => {
    const held = await holdPosition(trx, ref, projectId)
    if (held.sequence !== from.sequence || held.hash !== from.hash)
      throw new PositionMoved(ref.name, from.sequence)
    const { rows } = await sql<{ next: number }>`
      select coalesce(max(number), 0) + 1 as next from ${tables.memories} where project_id = ${projectId}`.execute(
      trx,
    )
    // Numbers of removed memories are reused, as in a rebuild.
    await countLexicalStats(trx, tables, projectId, rows[0]?.next ?? 1)
    await rewindPosition(trx, ref, projectId, to)
  })
}

async function changedAfter(
  db: Queryable,
  { memories }: GenerationTables,
  projectId: string,
  sequence: number,
): Promise<string[]> {
  const { rows } = await sql<{ memory_id: string }>`
    select memory_id from ${memories} where project_id = ${projectId} and sequence > ${sequence}`.execute(db)
  return rows.map((row) => row.memory_id)
}
