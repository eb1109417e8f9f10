import type { Database } from '@daybook/postgres/connect'
import type { Readings } from '@daybook/runtime/metrics'
import { sql } from 'kysely'
import { isDiverged } from './divergence.ts'

interface CountRow {
  readonly projection: string
  readonly events: number
}

/**
 * What the metrics report over all projects: the live generations' lag, their parked events, the projects in
 * which they have diverged, the texts that wait for vectors, and the findings of the self-check. Takes five
 * statements; three of them read one row per project.
 */
export async function readReadings(db: Database): Promise<Readings> {
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
  return {
    selfCheckDiffered: byProjection(selfChecks.rows),
    selfCheckUnhealed: new Map(selfChecks.rows.map((row) => [row.projection, row.unhealed])),
    projectionLag: byProjection(lag.rows),
    parkedEvents: byProjection(parked.rows),
    divergedProjects: byProjection(diverged.rows),
    embeddingQueue: queue?.texts ?? 0,
  }
}

function byProjection(rows: readonly CountRow[]): Map<string, number> {
  return new Map(rows.map((row) => [row.projection, row.events]))
}
