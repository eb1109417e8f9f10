import { type RawBuilder, sql } from 'kysely'
import type { ProjectScope } from './project-scope.ts'

/** How many rows are deleted at a time, and when to stop. */
export interface RemoveRowsOptions {
  /** Rows per statement: on the embedded database everybody waits for it. */
  readonly atOnce: number
  readonly signal: AbortSignal
}

/**
 * Deletes all rows of a project from a table, a statement at a time, so that none takes long.
 * @param table has a column `project_id`
 * @returns how many rows there were
 */
export async function removeRows(
  { db, projectId }: ProjectScope,
  table: RawBuilder<unknown>,
  { atOnce, signal }: RemoveRowsOptions,
): Promise<number> {
  for (let removed = 0; ; ) {
    signal.throwIfAborted()
    const { numAffectedRows = 0n } = await sql`
      delete from ${table} where ctid = any(array(
        select ctid from ${table} where project_id = ${projectId} limit ${atOnce}))`.execute(db)
    removed += Number(numAffectedRows)
    if (numAffectedRows < atOnce) return removed
  }
}
