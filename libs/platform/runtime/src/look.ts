import { pause } from './backoff.ts'

/** The longest that a caller waits for a look, in milliseconds: `/ready` has less than 2 s. */
const WAIT_MS = 1_000

/** The options of `createLook`. */
interface LookOptions {
  /** Milliseconds for which a look counts that found nothing missing. */
  readonly fineMs: number
  /** Milliseconds for which a look counts that found something. */
  readonly missingMs: number
  /** Called when a look fails; what was found before stays. */
  readonly onError: (error: unknown) => void
}

/**
 * Looks now and then for what is missing, in words, one look at a time.
 * @returns what was found. Of a look that takes longer than a second, the last one counts
 */
export function createLook(
  look: () => Promise<readonly string[]>,
  { fineMs, missingMs, onError }: LookOptions,
): () => Promise<readonly string[]> {
  let found: readonly string[] = []
  let lookedAt = Number.NEGATIVE_INFINITY
  let looking: Promise<void> | null = null
  return async () => {
    if (looking === null && performance.now() - lookedAt > (found.length === 0 ? fineMs : missingMs)) {
      lookedAt = performance.now()
      looking = look()
        .then((now) => void (found = now), onError)
        .finally(() => {
          looking = null
        })
    }
    if (looking !== null) await Promise.race([looking, pause(WAIT_MS)])
    return found
  }
}
