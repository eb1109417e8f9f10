import type { Database } from '@daybook/postgres/connect'
import { isLeaseOver } from '@daybook/postgres/lease'
import { sql } from 'kysely'
import { type Followed, type FollowState, listFollowed } from './followed-projects.ts'

/**
 * As `FollowState`; or connected to a former home, which passes everything on (`MOVED`); or nothing happens because somebody
 * paused it, or because no process is at it.
 */
export type ShownState = FollowState | 'MOVED' | 'PAUSED' | 'STOPPED'

/** A followed project with what its branch holds. */
export interface FollowedStatus extends Followed {
  readonly shown: ShownState
  readonly epoch: number
  /** Commands whose events have not come from the home yet, and since when. */
  readonly waiting: number
  readonly waitingSince: string | null
  readonly openConflicts: number
  /** Of the home's events, as far as is known. */
  readonly lagEvents: number
  /** For how long something may have been missing; null if everything was never here. */
  readonly lagSeconds: number | null
}

interface StatusRow {
  readonly project_id: string
  readonly epoch: number
  readonly waiting: number
  readonly since: string | null
  readonly conflicts: number
  readonly seconds: number | null
  readonly worked_on: boolean
}

/** Milliseconds in which a process begins to follow. */
const BEGINS_MS = 5_000

/**
 * How the followed projects stand.
 * @param db bound to no project
 * @param ofProjects null: all
 */
export async function listStatus(
  db: Database,
  ofProjects: readonly string[] | null,
): Promise<FollowedStatus[]> {
  const followed = (await listFollowed(db)).filter(
    ({ projectId }) => ofProjects === null || ofProjects.includes(projectId),
  )
  if (followed.length === 0) return []
  const { rows } = await sql<StatusRow>`
    select f.project_id, h.epoch,
      (select count(*) from branch_commands b where b.project_id = f.project_id) as waiting,
      (select min(b.written_at) from branch_commands b where b.project_id = f.project_id) as since,
      (select count(*) from sync_conflicts c where c.project_id = f.project_id and c.resolved_at is null) as conflicts,
      extract(epoch from clock_timestamp() - f.caught_up_at)::float8 as seconds,
      (f.lease_owner is not null and not ${isLeaseOver(sql`f.leased_until`)}
        or f.followed_since > clock_timestamp() - make_interval(secs => ${BEGINS_MS / 1_000}::float8)) as worked_on
    from followed_projects f join journal_heads h on h.project_id = f.project_id
    where f.project_id = any(${followed.map(({ projectId }) => projectId)}::uuid[])`.execute(db)
  const found = new Map(rows.map((row) => [row.project_id, row]))
  return followed.flatMap((one) => {
    const row = found.get(one.projectId)
    return row === undefined ? [] : [toStatus(one, row)]
  })
}

function toStatus(one: Followed, row: StatusRow): FollowedStatus {
  const state = one.state === 'CONNECTED' && one.movedTo !== null ? 'MOVED' : one.state
  const shown = one.paused ? 'PAUSED' : row.worked_on ? state : 'STOPPED'
  return {
    ...one,
    shown,
    epoch: row.epoch,
    waiting: row.waiting,
    waitingSince: row.since,
    openConflicts: row.conflicts,
    lagEvents: Math.max(0, one.homeSequence - one.copied.sequence),
    lagSeconds: shown === 'CONNECTED' || shown === 'MOVED' ? 0 : row.seconds,
  }
}
