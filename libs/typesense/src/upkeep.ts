import type { Database } from '@daybook/postgres/connect'
import { createWakeUp } from '@daybook/runtime/wake-up'
import { isMissing } from './errors.ts'
import { keepCollection } from './keep-collection.ts'
import { postAllVectors, postVectors } from './post-vectors.ts'
import type { Posting } from './posting.ts'
import { repostNoted } from './reposts.ts'

/** Does what no event asks for: the collection, vectors that come late, and documents to be posted again. */
export interface Upkeep {
  /** Says which texts have just got their vectors, so that those who wait for them get them at once. */
  stored(hashes: readonly Buffer[]): void
  /** Finishes what is under way. */
  stop(): Promise<void>
}

/** Milliseconds between looks at whether the collection is still there. */
const COLLECTION_MS = 5_000

/**
 * Goes round until it is stopped. What fails is logged and tried again in the next round, so it may be started while
 * Typesense is away.
 * @param pollMs between rounds
 */
export function startUpkeep(db: Database, posting: Posting, { pollMs = 1_000 } = {}): Upkeep {
  const stop = new AbortController()
  const wakeUp = createWakeUp()
  let fresh: Buffer[] = []
  let nextLook = 0

  const round = async (): Promise<void> => {
    if (performance.now() >= nextLook) {
      await posting.gate.pass(() => keepCollection(db, posting))
      nextLook = performance.now() + COLLECTION_MS
    }
    await repostNoted(db, posting)
    await postAllVectors(db, posting)
  }

  const run = async (): Promise<void> => {
    for (let nextRound = 0; !stop.signal.aborted; ) {
      try {
        const hashes = fresh
        fresh = []
        if (hashes.length > 0) await postVectors(db, posting, hashes)
        if (performance.now() >= nextRound) {
          nextRound = performance.now() + pollMs
          await round()
        }
      } catch (error) {
        posting.logger.warn({ projection: posting.place.name, error }, 'the upkeep failed; trying again')
        nextRound = performance.now() + pollMs
        if (isMissing(error)) nextLook = 0
      }
      if (!stop.signal.aborted && fresh.length === 0)
        await wakeUp.wait(Math.max(1, nextRound - performance.now()))
    }
  }

  const running = run()
  return {
    stored(hashes) {
      fresh.push(...hashes)
      wakeUp.raise()
    },
    async stop() {
      stop.abort()
      wakeUp.raise()
      await running
    },
  }
}
