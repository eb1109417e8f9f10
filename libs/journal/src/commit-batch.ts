import type { JournalEvent } from '@daybook/memory/events'
import { SCHEMA_VERSION } from '@daybook/memory/events'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { AppendOutcome, AppendRequest } from './append-request.ts'
import { readContext } from './batch-context.ts'
import { chainEvents } from './chain/chain-events.ts'
import { decideBatch } from './decide-batch.ts'
import { lockProject } from './lock-project.ts'
import { writeEvents } from './write-events.ts'

/**
 * Decides and commits requests in one transaction. The project's lock comes before the first write and before
 * everything that decisions rest on: so sequences have no gaps, become visible in order, and no decision is made on a
 * state that another gateway is just replacing.
 *
 * @returns one outcome a request, and the events that are now committed.
 */
export async function commitBatch(
  { db, projectId }: ProjectScope,
  requests: readonly AppendRequest[],
): Promise<{ outcomes: readonly AppendOutcome[]; events: readonly JournalEvent[] }> {
  return db.transaction().execute(async (trx) => {
    const { sequence: head, hash, now } = await lockProject(trx, projectId)
    const context = await readContext(trx, projectId, requests)
    const { events, newKeyUses, outcomes } = decideBatch(requests, context, { projectId, head, now })
    if (events.length > 0 || newKeyUses.size > 0) {
      const chained = chainEvents(
        hash,
        events.map((event) => ({ ...event, schemaVersion: SCHEMA_VERSION })),
      )
      await writeEvents(trx, projectId, chained, newKeyUses, {
        sequence: head + events.length,
        hash: chained.at(-1)?.hash ?? hash,
        recordedAt: now,
      })
    }
    return { outcomes, events }
  })
}
