import type { Work } from '@daybook/operations/run-operations'
import type { Database, DatabaseTransaction } from '@daybook/postgres/connect'
import { type Generation, liveGeneration } from '@daybook/projection/generations/generations'
import {
  MoreParkedError,
  parkedBeyond,
  swapGenerations,
} from '@daybook/projection/generations/swap-generations'
import type { Fence } from '@daybook/projection/rebuild/fence'
import { pause } from '@daybook/runtime/backoff'
import { waitUntilCaughtUp } from './caught-up.ts'

/**
 * How long a swap waits for a moment in which the new generation is nowhere behind the live one, in
 * milliseconds.
 */
const TOGETHER_MS = 5_000
const POLL_MS = 10

/**
 * Swaps the generation in. During many writes the live one may be an event ahead, which the new one might
 * still park. So its parked events are counted again once it has reached that point. If they are more than
 * the live one's, the swap is undone.
 * @throws MoreParkedError
 */
export async function swapIn(
  db: Database,
  generation: Generation,
  { acceptParked, fence }: { acceptParked: boolean; fence: Fence },
  work: Work,
): Promise<void> {
  const guard = (trx: DatabaseTransaction) => fence.hold(trx, ['following'])
  const deadline = performance.now() + TOGETHER_MS
  const old = await liveGeneration(db, generation.projection)
  for (;;) {
    const acceptBehind = performance.now() > deadline
    const swapped = await swapGenerations(db, generation, { acceptParked, acceptBehind, guard })
    if (swapped === 'refused')
      throw new Error(
        `generation ${generation.generation} of ${generation.projection} cannot be made live: it is not following`,
      )
    if (swapped === 'behind') {
      await pause(POLL_MS, work.signal)
      work.signal.throwIfAborted()
      continue
    }
    if (!acceptBehind || acceptParked || old === null) return
    await waitUntilCaughtUp(db, generation, work)
    await comeBackIfMoreParked(db, generation, old)
    return
  }
}

async function comeBackIfMoreParked(db: Database, generation: Generation, old: Generation): Promise<void> {
  const parked = await parkedBeyond(db, generation, old.generation)
  if (parked.length === 0) return
  await swapGenerations(db, old, { acceptParked: true })
  throw new MoreParkedError(generation.projection, parked)
}
