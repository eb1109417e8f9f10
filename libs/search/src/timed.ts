/** The parts of a search whose time is told apart: `lexical`, `vector`, `neighbours`, `query-embedding`, an engine's name. */
export type TimedRetriever = string

/** Hears how long a retriever took, in seconds, failed ones included. It must not throw. */
export type OnRetriever = (retriever: TimedRetriever, seconds: number) => void

/** Runs a retriever and tells how long it took. */
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
