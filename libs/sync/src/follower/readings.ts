import type { Database } from '@daybook/postgres/connect'
import type { Reading } from '@daybook/runtime/metrics'
import { sql } from 'kysely'
import { type FollowedStatus, listStatus } from './status.ts'

/** A follower counts as there if it was heard within so many seconds; its home notes it every 5 s. */
const HEARD_S = 60
/** The most projects that are told apart: each is a time series. */
const MOST_PROJECTS = 1_000

interface FollowersRow {
  readonly project: string
  readonly followers: number
}

interface Gauge {
  readonly name: string
  readonly help: string
  readonly of: (one: FollowedStatus) => number
  /** Over all projects: the sum, or the largest. */
  readonly over: (values: readonly number[]) => number
}

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0)

const GAUGES: readonly Gauge[] = [
  {
    name: 'daybook_sync_disconnected',
    help: 'Followed projects without a connection to their homes that nobody has paused',
    of: ({ shown }) => (['COPYING', 'CONNECTED', 'PAUSED'].includes(shown) ? 0 : 1),
    over: sum,
  },
  {
    name: 'daybook_sync_lag_events',
    help: 'Events of the homes that are not here yet, as far as is known',
    of: ({ lagEvents }) => lagEvents,
    over: sum,
  },
  {
    name: 'daybook_sync_lag_seconds',
    help: 'For how long something of the home may be missing here; the longest of all projects',
    of: ({ lagSeconds, followedSince }) =>
      lagSeconds ?? Math.max(0, (Date.now() - Date.parse(followedSince)) / 1_000),
    over: (values) => Math.max(0, ...values),
  },
  {
    name: 'daybook_sync_waiting_commands',
    help: 'Commands of branches whose events have not come from the home yet',
    of: ({ waiting }) => waiting,
    over: sum,
  },
  {
    name: 'daybook_sync_open_conflicts',
    help: 'Conflicts that wait for a person',
    of: ({ openConflicts }) => openConflicts,
    over: sum,
  },
]

/**
 * What the metrics report of followed projects, and of those who follow projects of this Daybook; nothing where nobody
 * follows anything. Two to three statements.
 * @param db bound to no project
 * @param ofProjects whether each project is told apart, by its id
 */
export async function readSyncReadings(db: Database, ofProjects: boolean): Promise<Reading[]> {
  const followed = (await listStatus(db, null)).slice(0, ofProjects ? MOST_PROJECTS : undefined)
  const { rows } = await sql<FollowersRow>`
    select project_id as project,
      count(*) filter (where seen_at > clock_timestamp() - make_interval(secs => ${HEARD_S}::float8)) as followers
    from followers group by project_id order by project_id limit ${MOST_PROJECTS}`.execute(db)
  const shown = ofProjects ? byProject : overAll
  return [
    ...(followed.length === 0
      ? []
      : GAUGES.map(({ name, help, of, over }) =>
          shown(
            name,
            help,
            followed.map((one) => [one.projectId, of(one)]),
            over,
          ),
        )),
    ...(rows.length === 0
      ? []
      : [
          shown(
            'daybook_sync_followers',
            'Daybooks that follow projects of this one and were heard within a minute',
            rows.map(({ project, followers }) => [project, followers]),
            sum,
          ),
        ]),
  ]
}

type Values = readonly (readonly [project: string, value: number])[]

const byProject = (name: string, help: string, values: Values): Reading => ({
  name,
  help,
  label: 'project',
  value: new Map(values),
})

const overAll = (name: string, help: string, values: Values, over: Gauge['over']): Reading => ({
  name,
  help,
  value: over(values.map(([, value]) => value)),
})
