import { useEffect, useState } from 'preact/hooks'
import { hasEnded, listActive, listOperations, type Operation } from '../api/operations.ts'
import { usePolled } from '../components/use-polled.ts'

/** How often to look at what is under way, in milliseconds: while something is, and while nothing is. */
const BUSY_MS = 500
const QUIET_MS = 3_000
/** How often to list all again, in milliseconds: whatever is seen to begin or to end does it too. */
const LIST_MS = 30_000
/** The first operations that are listed, and the most that the API lists. */
const [FIRST, MOST] = [20, 100]

/** The operations there are, whoever asked for them. */
export interface Operations {
  /** Those under way and the ended ones, the newest first; null before the first answer. */
  readonly operations: readonly Operation[] | null
  readonly running: readonly Operation[] | null
  /** Why the last look failed; null if it did not. */
  readonly error: unknown
  /** Lists older ones too; null if all are listed that can be. */
  readonly more: (() => void) | null
  /** Looks at once. */
  again(): void
}

/**
 * Looks again and again, instead of subscribing to each operation: one answer tells of all, and a lost connection needs
 * nothing more. Only those under way are looked at often: results of old ones name every project.
 */
export function useOperations(): Operations {
  const [first, setFirst] = useState(FIRST)
  const active = usePolled('active', listActive, (some) => (some.length === 0 ? QUIET_MS : BUSY_MS))
  const listed = usePolled(
    `listed ${first}`,
    (signal) => listOperations(first, signal),
    (all) => (all.every(hasEnded) ? LIST_MS : BUSY_MS),
  )
  const underWay = active.answer?.map(({ id }) => id).join(' ')
  useEffect(() => listed.again(), [underWay])
  const ended = listed.answer?.filter(hasEnded) ?? null
  // The two answers are of different moments: what has ended in one may still be under way in the other.
  const running = active.answer?.filter(({ id }) => ended?.every((one) => one.id !== id)) ?? null
  return {
    operations: running === null || ended === null ? null : [...running, ...ended],
    running,
    error: active.error ?? listed.error,
    more: listed.answer?.length === first && first < MOST ? () => setFirst(MOST) : null,
    again() {
      active.again()
      listed.again()
    },
  }
}
