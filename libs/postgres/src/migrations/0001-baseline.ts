import { type Kysely, sql } from 'kysely'
import { omitStatistics } from '../statistics.ts'
import { makeConsoleSessions } from './baseline/console.ts'
import { makeDeletion } from './baseline/deletion.ts'
import { makeJournal } from './baseline/journal.ts'
import { makeKeys } from './baseline/keys.ts'
import { makeTable } from './baseline/make-table.ts'
import { makeProjections } from './baseline/projections.ts'
import { makeSync } from './baseline/sync.ts'

/** Everything. Later migrations change it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await makeJournal(db)
  await makeKeys(db)
  await makeProjections(db)
  await makeDeletion(db)
  await makeConsoleSessions(db)
  await makeSync(db)
  // The oldest reader and writer that may work here (`compatibility.ts`), which only the owner changes.
  await makeTable(
    db,
    'compatibility',
    { rights: 'select', projectColumn: null },
    sql`
    one_row boolean primary key default true check (one_row),
    minimum_reader integer not null check (minimum_reader > 0),
    minimum_writer integer not null check (minimum_writer > 0)`,
  )
  await sql`insert into daybook.compatibility (minimum_reader, minimum_writer) values (4, 2)`.execute(db)
  // To compare the applied migrations with one's own.
  await sql`grant select on daybook.kysely_migration to daybook_app`.execute(db)
  await omitStatistics(db, 'daybook')
}
