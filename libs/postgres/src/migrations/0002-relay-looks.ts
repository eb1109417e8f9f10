import { type Kysely, sql } from 'kysely'
import { ALL_RIGHTS_AND_EMPTY, makeTable } from './baseline/make-table.ts'

/** Compatible. When a relay last looked at all projects, so that one of many looks for all. */
export const up = (db: Kysely<unknown>): Promise<void> =>
  makeTable(
    db,
    'relay_looks',
    { rights: ALL_RIGHTS_AND_EMPTY, projectColumn: null },
    sql`one_row boolean primary key default true check (one_row), looked_at timestamptz not null`,
  )
