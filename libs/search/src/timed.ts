/**
 * The parts of a search that are timed separately: `lexical`, `vector`, `neighbours`, `token-bits`, `query-embedding`, an
 * engine's name.
 */
export type TimedRetriever = string

/** Called with a retriever's duration in seconds, even if it failed. It must not throw. */
export type OnRetriever = (retriever: TimedRetriever, seconds: number) => void

/** Runs a retriever and reports its duration. */
export async function timed<T>(
  onRetriever: OnRetriever | undefined,
  retriever: TimedRetriever,
  run: () => Promise<T>,
): Promise<T> {
  const startedAt = performance.now()
  try {
    return await run()
  } finally {
    onRetriever?.(retriever, (performance.now() - startedAt) / 1_000)
  }
}
