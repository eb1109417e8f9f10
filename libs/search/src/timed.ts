/** The parts of a search whose time is told apart. */
export type TimedRetriever = 'lexical' | 'vector' | 'neighbours' | 'query-embedding' | 'typesense'

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
