import { readJournal } from '@daybook/journal/read/read'
import { publishable } from '@daybook/journal/read/stored-event'
import type { OperationHandler } from '@daybook/operations/run-operations'
import type { Database } from '@daybook/postgres/connect'
import { projectScope } from '@daybook/postgres/project-scope'
import type { Bus } from '@daybook/transport/bus'
import { type Projections, projectionOf } from '../projects.ts'
import { rewrite } from '../reindex/rewrite.ts'

/** Events published together. */
const PAGE = 200

/**
 * Replays a range of a project's journal. For a projection, it rewrites the memories with events in the
 * range. Otherwise it publishes the events to all listeners on the bus. Listeners skip events they have, so
 * it starts over after a crash.
 */
export function handleReplay(db: Database, bus: Bus, projections: Projections): OperationHandler<'replay'> {
  return {
    async run(work) {
      const { projectId, from, to } = work.operation.options
      if (work.operation.projection !== null)
        return rewrite(
          db,
          projectionOf(projections, work.operation.projection),
          { projectId, kinds: null, range: { from, to } },
          work,
        )
      const scope = projectScope(db, projectId)
      const resumed = work.checkpoint?.['after']
      let after = typeof resumed === 'number' ? resumed : from - 1
      let published = 0
      await work.report({ phase: 'publishing', done: after - from + 1, total: to - from + 1 })
      while (after < to) {
        work.signal.throwIfAborted()
        const records = await readJournal(scope, { after, limit: Math.min(PAGE, to - after) })
        const last = records.at(-1)
        if (last === undefined) break
        // A new message id, because NATS drops messages whose id it remembers as duplicates.
        await bus.publish(projectId, records.map(publishable), { again: work.operation.id })
        published += records.length
        after = last.sequence
        await work.report({ done: after - from + 1, checkpoint: { after } })
      }
      return { published }
    },
  }
}
