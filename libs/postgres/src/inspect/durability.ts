import { sql } from 'kysely'
import type { Queryable } from '../connect.ts'

/** What a database server promises of a commit that it has answered. */
export interface Durability {
  /** Whether it waits for the disk at all. */
  readonly fsync: boolean
  /** As the application's sessions have it: `on`, `off`, `local`, `remote_write` or `remote_apply`. */
  readonly synchronousCommit: string
  /** Replicas that get its changes now. */
  readonly standbys: number
  /** Those of them whose commits it does not wait for; null where the application's role may not see which. */
  readonly asynchronous: number | null
}

/** How safe a commit is that the server has answered, as far as the application's role may see it. */
export async function readDurability(db: Queryable): Promise<Durability> {
  const { rows } = await sql<Durability>`
    select current_setting('fsync') = 'on' as fsync, current_setting('synchronous_commit') as "synchronousCommit",
      count(standby.pid) as standbys,
      case when count(standby.pid) = count(standby.sync_state)
        then count(*) filter (where standby.sync_state in ('async', 'potential')) end as asynchronous
    from (select) one left join pg_stat_replication standby on true`.execute(db)
  const [facts] = rows
  if (facts === undefined) throw new Error('the database told nothing of itself')
  return facts
}
