import { sql } from 'kysely'
import type { Queryable } from '../connect.ts'

/** What a database server promises about a commit that it has confirmed. */
export interface Durability {
  /** Whether it waits for the disk at all. */
  readonly fsync: boolean
  /** The setting in the application's sessions: `on`, `off`, `local`, `remote_write` or `remote_apply`. */
  readonly synchronousCommit: string
  /** Replicas that get its changes now. */
  readonly standbys: number
  /** How many of them commits do not wait for; null if the application's role may not see that. */
  readonly asynchronous: number | null
}

/** How safe a confirmed commit is, as far as the application's role may see. */
export async function readDurability(db: Queryable): Promise<Durability> {
  const { rows } = await sql<Durability>`
    select current_setting('fsync') = 'on' as fsync, current_setting('synchronous_commit') as "synchronousCommit",
      count(standby.pid) as standbys,
      case when count(standby.pid) = count(standby.sync_state)
        then count(*) filter (where standby.sync_state in ('async', 'potential')) end as asynchronous
    from (select) one left join pg_stat_replication standby on true`.execute(db)
  const [facts] = rows
  if (facts === undefined) throw new Error('the database returned no facts about itself')
  return facts
}
