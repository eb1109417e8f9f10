import type { Database } from '@daybook/postgres/connect'
import { createWakeUp } from '@daybook/runtime/wake-up'
import { isMissing } from '../client/errors.ts'
import { keepCollection } from './keep-collection.ts'
import { rewriteNoted } from './rewrites.ts'
import { writeAllVectors, writeVectors } from './write-vectors.ts'
import type { GenerationWriter } from './writer.ts'

/** Does what no event asks for: the collection, vectors that come late, and documents to be written again. */
export interface Reconciler {
  /** Says which texts have just got their vectors, so that those who wait for them get them at once. */
  stored(hashes: readonly Buffer[]): void
  /** Finishes what is under way. */
  stop(): Promise<void>
}

/** Milliseconds between looks at whether the collection is still there. */
const COLLECTION_MS = 5_000

/** Milliseconds until vectors are tried again that met another replica at work: about what a batch takes it. */
const OTHERS_TURN_MS = 50

/** A round rests for this many times what it took: with 100,000 memories waiting, looking at all of them is work. */
const REST = 10

/**
 * Goes round until it is stopped. What fails is logged and tried again in the next round, so it may be started while
 * Typesense is unavailable.
 * @param pollMs between rounds, at least
 */
export function startReconciler(
  db: Database,
  writer: GenerationWriter,
  { pollMs = 1_000 }: { readonly pollMs?: number | undefined } = {},
): Reconciler {
  const stop = new AbortController()
  const wakeUp = createWakeUp()
  let fresh: Buffer[] = []
  let nextLook = 0
  let nextRound = 0

  /** @returns in how many milliseconds to go on, unless something new comes */
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

  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      let again = Number.POSITIVE_INFINITY
      try {
        again = await giveFresh()
        if (performance.now() >= nextRound) await goRound()
      } catch (error) {
        writer.logger.warn({ projection: writer.place.name, error }, 'the reconciler failed; trying again')
        nextRound = performance.now() + pollMs
        if (isMissing(error)) nextLook = 0
      }
      if (!stop.signal.aborted) await wakeUp.wait(Math.max(1, Math.min(again, nextRound - performance.now())))
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
