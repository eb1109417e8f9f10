/** The parts of a search whose time is told apart. */
export type TimedLeg = 'lexical' | 'vector' | 'neighbours' | 'query-embedding' | 'typesense'

/** Hears how long a leg took, in seconds, failed ones included. It must not throw. */
export type OnLeg = (leg: TimedLeg, seconds: number) => void

/** Runs a leg and tells how long it took. */
export async function timed<T>(onLeg: OnLeg | undefined, leg: TimedLeg, run: () => Promise<T>): Promise<T> {
  const startedAt = performance.now()
  try {
    return await run()
  } finally {
    onLeg?.(leg, (performance.now() - startedAt) / 1_000)
  }
}
