import { sql } from 'kysely'
import { isAheadOfClock } from '../clock.ts'
import type { Database } from '../connect.ts'

/** How the database's clock compares to this process's clock and to the journals. */
export interface ClockFacts {
  /**
   * How far the database's clock is ahead of this process's at least, in milliseconds; negative if behind.
   */
  readonly aheadMs: number
  /** Projects whose last event has a time that the database's clock has not reached. */
  readonly futureProjects: number
  /** The project with the latest such time; null if there is none. */
  readonly latest: { readonly name: string; readonly recordedAt: string } | null
}

interface FutureProject {
  /** The number of all such projects. */
  readonly count: number
  readonly name: string
  readonly recordedAt: string
}

/** Reads the clock facts; looks at one row per project. */
export async function readClock(db: Database): Promise<ClockFacts> {
  const before = Date.now()
  const { rows } = await sql<{ now: string }>`select clock_timestamp() as now`.execute(db)
  const after = Date.now()
  const clock = Date.parse(rows[0]?.now ?? '')
  const { rows: future } = await sql<FutureProject>`
    select count(*) over () as count, p.name, head.last_recorded_at as "recordedAt"
    from journal_heads head join projects p on p.id = head.project_id
    where ${isAheadOfClock(sql`head.last_recorded_at`)}
    order by head.last_recorded_at desc limit 1`.execute(db)
  const [latest] = future
  return {
    // The database read its clock somewhere between the two.
    aheadMs: Math.max(0, clock - after) + Math.min(0, clock - before),
    futureProjects: latest?.count ?? 0,
    latest: latest === undefined ? null : { name: latest.name, recordedAt: latest.recordedAt },
  }
}
