import type { LinkedEvent } from '@daybook/memory/events'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { AppendOutcome, AppendRequest } from './append-request.ts'
import { readContext } from './batch-context.ts'
import { CommitUnknown, isCommitUnknown } from './commit-unknown.ts'
import { decideBatch } from './decide-batch.ts'
import type { KnownHead } from './known-head.ts'
import { lockProject } from './lock-project.ts'
import { writeEvents } from './write-events.ts'

/** What a batch came to. */
export interface CommittedBatch {
  readonly outcomes: readonly AppendOutcome[]
  readonly events: readonly LinkedEvent[]
  /**
   * When the event before was recorded, if that is so far ahead of the clock that these got an earlier time;
   * else null.
   */
  readonly setBackFrom: string | null
  /**
   * The journal's end now; null if the batch wrote no event, or in the embedded database. Appends in one
   * statement gain little there, and a connection that breaks leaves open whether they are committed, where a
   * broken `begin` leaves no doubt.
   */
  readonly head: KnownHead | null
}

/**
 * Decides and commits requests in one transaction. It takes the project's lock before it reads anything that
 * decisions depend on, and before the first write. So sequences have no gaps and become visible in order, and
 * no decision uses a state that another gateway is just replacing.
 *
 * @returns one outcome per request, and the events that are now committed
 * @throws CommitUnknown if it is not known whether they are committed
 */
export async function commitBatch(
  { db, projectId }: ProjectScope,
  requests: readonly AppendRequest[],
): Promise<CommittedBatch> {
  let decided = false
  const committing = db.transaction().execute(async (trx) => {
    const askedAt = performance.now()
    const { now, clockMs, setBackFrom, flushes, ...head } = await lockProject(trx, projectId)
    const context = await readContext(trx, projectId, requests)
    const { rows, events, newKeyUses, outcomes } = decideBatch(requests, context, { projectId, head, now })
    if (events.length > 0 || newKeyUses.size > 0) {
      const { sequence, hash } = events.at(-1) ?? head
      await writeEvents(trx, projectId, rows, newKeyUses, { sequence, hash, recordedAt: now })
    }
    decided = true
    const last = events.at(-1)
    return {
      outcomes,
      events,
      setBackFrom: last === undefined ? null : setBackFrom,
      head:
        last === undefined || !flushes
          ? null
          : {
              sequence: last.sequence,
              hash: last.hash,
              epoch: head.epoch,
              recordedAt: now,
              clockMs,
              askedAt,
            },
    }
  })
  return committing.catch((error: unknown) => {
    // Only COMMIT follows the last statement, so only COMMIT can have failed.
    throw decided && isCommitUnknown(error) ? new CommitUnknown(error) : error
  })
}
