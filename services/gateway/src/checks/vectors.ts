import { type QueueState, readQueueState } from '@daybook/embeddings/queue-state'
import { pause } from '@daybook/runtime/backoff'
import { type CheckedParts, type Finding, ok, warning } from './check.ts'

/** How long to watch the queue for progress, and how often to look, in milliseconds. */
const WATCH_MS = 2_500
const LOOK_MS = 250

/** Checks that texts get their vectors; null without an embedder. */
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

/** Judges the queue of texts by two looks at it. */
export function judgeQueue(before: QueueState, after: QueueState): Finding {
  if (after.failed > 0)
    return warning(
      `${after.failed} texts could not be embedded, such as: ${after.failure}`,
      'They are retried automatically, less and less often; at once with:  daybook backfill',
    )
  if (after.queued === 0) return ok('Every text has its vectors')
  return isStill(before, after)
    ? warning(
        `${after.queued} texts wait for vectors, and nobody makes them`,
        'Projectors make them: is one running, with an embedder for the live generation’s model (DAYBOOK_EMBEDDER)?',
      )
    : ok(`${after.queued} texts wait for vectors, which are being made`)
}
