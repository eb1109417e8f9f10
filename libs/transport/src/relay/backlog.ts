import { isAheadOfClock } from '@daybook/postgres/clock'
import type { Database } from '@daybook/postgres/connect'
import { sql } from 'kysely'

/** Committed events that are not published yet, in all projects that a relay has looked at. */
export interface Backlog {
  readonly events: number
  /**
   * How long the oldest of them has waited, in milliseconds; 0 if there is none. Events recorded while the
   * clock was ahead cannot tell; the first other one counts instead.
   */
  readonly oldestMs: number
}

/**
 * Looks at one row per project, and at one event of each that is behind; more only if events are ahead of the
 * clock.
 */
export async function readBacklog(db: Database): Promise<Backlog> {
  const { rows } = await sql<Backlog>`
    select coalesce(sum(head.sequence - place.published), 0)::bigint as events,
      coalesce(max(extract(epoch from clock_timestamp() - oldest.recorded_at)) * 1000, 0)::float8 as "oldestMs"
    from relay_positions place
    join journal_heads head on head.project_id = place.project_id
    left join lateral (
      select recorded_at from events
      where project_id = place.project_id and sequence > place.published and not ${isAheadOfClock(sql`recorded_at`)}
      order by sequence limit 1
    ) oldest on true
    where head.sequence > place.published`.execute(db)
  const backlog = rows[0] ?? { events: 0, oldestMs: 0 }
  // Never negative: the clocks of two machines differ, such as after a failover.
  return { ...backlog, oldestMs: Math.max(0, backlog.oldestMs) }
}
