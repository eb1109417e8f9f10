import { isRelationMissing } from '@daybook/postgres/errors'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { removeRows } from '@daybook/postgres/remove-rows'
import type { Generation } from '@daybook/projection/generations/generations'
import { forgetPosition } from '@daybook/projection/positions/positions'
import type { RemoveOptions } from '@daybook/projection/rebuild/rebuildable-projection'
import { generationTables, PGVECTOR } from '../generation-tables.ts'

/** Rows per statement. On the embedded database, where everybody waits for it, some 50 ms. */
const ROWS = 1_000

/**
 * Deletes all rows of a deleted project from a generation. The position goes first: that waits for a batch which is
 * being written, and no other follows.
 * @returns how many rows there were
 */
export async function removeProject(
  scope: ProjectScope,
  { generation }: Generation,
  { signal }: RemoveOptions,
): Promise<number> {
  const { memories, versions, postings, formerPostings, lexicalStats, vectors, waiting } =
    generationTables(generation)
  await forgetPosition(scope, { name: PGVECTOR, generation })
  let removed = 0
  for (const table of [waiting, vectors, postings, formerPostings, versions, memories, lexicalStats])
    try {
      removed += await removeRows(scope, table, { atOnce: ROWS, signal })
    } catch (error) {
      // The generation was dropped meanwhile.
      if (!isRelationMissing(error)) throw error
    }
  return removed
}
