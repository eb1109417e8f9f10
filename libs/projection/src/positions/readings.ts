import type { Database } from '@daybook/postgres/connect'
import type { Reading } from '@daybook/runtime/metrics'
import { sql } from 'kysely'
import { isDiverged } from './divergence.ts'

interface CountRow {
  readonly projection: string
  readonly events: number
}

/** The most projects whose usage is reported, the largest first: each is a time series. */
const MOST_PROJECTS = 1_000

interface UsageRow {
  readonly project: string
  readonly memories: number
  readonly bytes: number
}

/**
 * What the metrics report over all projects: the live generations' lag, their parked events, the projects in
 * which they have diverged, the texts that wait for vectors, the findings of the self-check, and what projects
 * hold, if `ofProjects`. Takes six statements; four of them read one row per project. A new reading is an entry here,
 * and a line in `docs/monitoring.md`.
 */
export async function readReadings(db: Database, ofProjects: boolean): Promise<Reading[]> {
  const lag = await sql<CountRow>`
    select live.projection, coalesce(sum(greatest(head.sequence - coalesce(place.position, 0), 0)), 0)::bigint as events
    from generations live cross join journal_heads head
    left join positions place on place.projection = live.projection and place.generation = live.generation
      and place.project_id = head.project_id
    where live.status = 'live' group by live.projection`.execute(db)
  const parked = await sql<CountRow>`
    select live.projection, count(parked.sequence) as events
    from generations live left join parked_events parked
      on parked.projection = live.projection and parked.generation = live.generation
      and parked.dropped_at is null
    where live.status = 'live' group by live.projection`.execute(db)
  const queue = await db
    .selectFrom('embeddings')
    .select((eb) => eb.fn.countAll<number>().as('texts'))
    .where('embedded_at', 'is', null)
    .executeTakeFirst()
  const diverged = await sql<CountRow>`
    select live.projection, count(place.project_id) filter (where ${isDiverged}) as events
    from generations live
    left join positions place on place.projection = live.projection and place.generation = live.generation
    left join journal_heads head on head.project_id = place.project_id
    where live.status = 'live' group by live.projection`.execute(db)
  const selfChecks = await sql<CountRow & { unhealed: number }>`
    select live.projection, coalesce(sum(checked.differed), 0)::bigint as events,
      coalesce(sum(checked.unhealed), 0)::bigint as unhealed
    from generations live left join self_checks checked
      on checked.projection = live.projection and checked.generation = live.generation
    where live.status = 'live' group by live.projection`.execute(db)
  return [
    {
      name: 'daybook_projection_lag',
      help: 'Events that the live generation has not applied yet, in all projects',
      value: byProjection(lag.rows),
    },
    {
      name: 'daybook_diverged_projects',
      help: 'Projects in which the live generation has applied events that the journal does not have',
      value: byProjection(diverged.rows),
    },
    {
      name: 'daybook_parked_events',
      help: 'Events that the live generation could not apply and holds until they are retried or dropped',
      value: byProjection(parked.rows),
    },
    {
      name: 'daybook_self_check_differed',
      help: 'Memories that differed from the journal and were rewritten, since the generation began',
      value: byProjection(selfChecks.rows),
    },
    {
      name: 'daybook_self_check_unhealed',
      help: 'Memories that still differ from the journal after they were rewritten',
      value: new Map(selfChecks.rows.map((row) => [row.projection, row.unhealed])),
    },
    {
      name: 'daybook_embedding_queue',
      help: 'Texts that wait for their vectors, counted once per project',
      value: queue?.texts ?? 0,
    },
    ...(ofProjects ? await readUsage(db) : []),
  ]
}

async function readUsage(db: Database): Promise<Reading[]> {
  const { rows } = await sql<UsageRow>`
    select project_id as project, memories, bytes from project_usage
    order by bytes desc limit ${MOST_PROJECTS}`.execute(db)
  return [
    {
      name: 'daybook_project_memories',
      help: 'Memories of a project that are not forgotten',
      label: 'project',
      value: new Map(rows.map((row) => [row.project, row.memories])),
    },
    {
      name: 'daybook_project_bytes',
      help: 'Bytes of the events of a project',
      label: 'project',
      value: new Map(rows.map((row) => [row.project, row.bytes])),
    },
  ]
}

function byProjection(rows: readonly CountRow[]): Map<string, number> {
  return new Map(rows.map((row) => [row.projection, row.events]))
}
