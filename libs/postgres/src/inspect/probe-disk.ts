import { sql } from 'kysely'
import type { Database } from '../connect.ts'

/**
 * Makes the database write some 3 MB to its disk and discard them, with a sort that does not fit into its
 * memory limit. On a full disk, reads still work and a small row still finds room in a page, so neither would
 * show it.
 * @throws whatever the database says about its disk: see `isDiskFull`
 */
export async function probeDisk(db: Database): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`set local work_mem = '64kB'`.execute(trx)
    await sql`select max(place) from (
      select row_number() over (order by md5(n::text)) as place, repeat('x', 100) as filler
      from generate_series(1, 20000) n) sorted`.execute(trx)
  })
}
