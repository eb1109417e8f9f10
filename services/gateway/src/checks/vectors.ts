import { type QueueState, readQueueState } from '@daybook/embeddings/queue-state'
import { pause } from '@daybook/runtime/backoff'
import { type CheckedParts, type Finding, ok, warning } from './check.ts'

/** How long the queue is watched for a sign of life, and how often it is looked at, in milliseconds. */
const WATCH_MS = 2_500
const LOOK_MS = 250

/** Whether texts get their vectors; null where they need none, as there is no embedder. */
export async function checkVectors({ db, config }: CheckedParts): Promise<Finding | null> {
  if (config.embedder === 'none') return null
  const before = await readQueueState(db)
  let after = before
  for (let waited = 0; isStill(before, after) && waited < WATCH_MS; waited += LOOK_MS) {
    await pause(LOOK_MS)
    after = await readQueueState(db)
  }
  return judgeQueue(before, after)
}

const fresh = ({ queued, failed }: QueueState): number => queued - failed
const isStill = (before: QueueState, after: QueueState): boolean =>
  fresh(after) > 0 && after.leased === 0 && fresh(after) === fresh(before)

export function judgeQueue(before: QueueState, after: QueueState): Finding {
  if (after.failed > 0)
    return warning(
      `${after.failed} texts could not be embedded, such as: ${after.failure}`,
      'They are tried again by themselves, ever more seldom; at once with:  daybook backfill',
    )
  if (after.queued === 0) return ok('Every text has its vectors')
  return isStill(before, after)
    ? warning(
        `${after.queued} texts wait for vectors, and nobody makes them`,
        'Projectors make them: is one running, with an embedder for the live generation’s model (DAYBOOK_EMBEDDER)?',
      )
    : ok(`${after.queued} texts wait for vectors, which are being made`)
}
