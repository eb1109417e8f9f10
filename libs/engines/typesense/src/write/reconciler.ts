import type { Database } from '@daybook/postgres/connect'
import { startLoop } from '@daybook/runtime/loop'
import { isMissing } from '../client/errors.ts'
import { keepCollection } from './keep-collection.ts'
import { rewriteNoted } from './rewrites.ts'
import { writeAllVectors, writeVectors } from './write-vectors.ts'
import type { GenerationWriter } from './writer.ts'

/**
 * Does what no event triggers: keeps the collection, writes vectors that come late, and rewrites documents.
 */
export interface Reconciler {
  /** Tells which texts have just got their vectors, so that waiting memories get them at once. */
  stored(hashes: readonly Buffer[]): void
  /** Finishes the current work. */
  stop(): Promise<void>
}

/** Milliseconds between checks of the collection. */
const COLLECTION_MS = 5_000

/** Milliseconds until vectors are retried that met another replica: about the time of its batch. */
const OTHERS_TURN_MS = 50

/**
 * After a round the reconciler rests for this many times its duration: looking at 100,000 waiting memories
 * takes time.
 */
const REST = 10

/**
 * Starts a reconciler. Failures are logged and retried in the next round, so it may be started while
 * Typesense is unavailable.
 * @param pollMs the least number of milliseconds between rounds
 */
export function startReconciler(
  db: Database,
  writer: GenerationWriter,
  { pollMs = 1_000 }: { readonly pollMs?: number | undefined } = {},
): Reconciler {
  let fresh: Buffer[] = []
  let nextLook = 0
  let nextRound = 0

  /** @returns the milliseconds until the next attempt, unless something new comes */
  const giveFresh = async (): Promise<number> => {
    const hashes = fresh
    fresh = []
    if (hashes.length === 0 || (await writeVectors(db, writer, hashes))) return Number.POSITIVE_INFINITY
    fresh = [...hashes, ...fresh]
    return OTHERS_TURN_MS
  }

  const goRound = async (): Promise<void> => {
    const begun = performance.now()
    nextRound = begun + pollMs
    if (begun >= nextLook) {
      await writer.gate.pass(() => keepCollection(db, writer))
      nextLook = begun + COLLECTION_MS
    }
    await rewriteNoted(db, writer)
    await writeAllVectors(db, writer)
    const ended = performance.now()
    nextRound = Math.max(nextRound, ended + (ended - begun) * REST)
  }

  const loop = startLoop(
    async () => {
      const again = await giveFresh()
      if (performance.now() >= nextRound) await goRound()
      return Math.max(1, Math.min(again, nextRound - performance.now()))
    },
    {
      everyMs: pollMs,
      onError(error) {
        writer.logger.warn({ projection: writer.place.name, error }, 'the reconciler failed; trying again')
        nextRound = performance.now() + pollMs
        if (isMissing(error)) nextLook = 0
      },
    },
  )
  return {
    stored(hashes) {
      fresh.push(...hashes)
      loop.wake()
    },
    stop: loop.stop,
  }
}
