import { createTypesenseClient, type TypesenseClient } from '@daybook/typesense/client'
import { collectionName, DEFAULT_BASE_NAME } from '@daybook/typesense/collection'
import { TypesenseRefusedError, TypesenseUnavailableError } from '@daybook/typesense/errors'
import {
  BrokenCircuitError,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleWhen,
  TaskCancelledError,
  TimeoutStrategy,
  timeout,
  wrap,
} from 'cockatiel'
import { TypesenseFailed } from './typesense-failed.ts'

/** One search of a multi_search, in Typesense's own words; the collection is added. */
export type OneSearch = Readonly<Record<string, string | number | boolean>>

export interface FoundDocument {
  readonly document: Readonly<Record<string, unknown>>
  readonly vector_distance?: number
  readonly highlights?: readonly { readonly matched_tokens?: readonly string[] }[]
}

export interface Found {
  /** All that match, not only those given. */
  readonly found: number
  readonly hits: readonly FoundDocument[]
}

/** The time that one search of ours may spend on Typesense, over all its calls. */
export interface TypesenseTurn {
  /**
   * Asks, all at once, in calls of at most 50 searches.
   * @returns what each found, in the order asked
   * @throws TypesenseFailed
   */
  ask(searches: readonly OneSearch[]): Promise<Found[]>
}

/** Typesense as searches use it. One per process: the circuit breaker remembers whether it answers. */
export interface TypesenseSearch {
  /**
   * Whether to ask it at all. While the circuit is open the answer is no at once; after a pause a probe is sent in the
   * background, which no search waits for, and closes the circuit where it succeeds.
   */
  isAvailable(): boolean
  /**
   * @param generation the one that is live according to Postgres. Its collection is asked by name and not through the alias, which
   *   is moved a moment later: a query's vector must meet vectors of its own model.
   */
  turn(generation: number): TypesenseTurn
  close(): void
}

export interface TypesenseSearchOptions {
  /** Such as `http://127.0.0.1:8108`. */
  readonly url: string
  /** A key that may search is enough. */
  readonly apiKey: string
  /** Beginning of the collections' names and the alias. Default `daybook_memories`. */
  readonly base?: string
  /** Milliseconds that one search may wait for Typesense in total. Default 200. */
  readonly timeoutMs?: number
  /** Milliseconds until an open circuit is probed. Default 5,000. */
  readonly probeAfterMs?: number
  /** For the log: hears that Typesense is left alone from now on and why, as an operator needs it. */
  readonly onOpen?: (reason: Error) => void
  /** For the log: hears that it is asked again. */
  readonly onClose?: () => void
}

/** The server's default for `limit_multi_searches`. */
const SEARCHES_A_CALL = 50

/**
 * The circuit opens with the first failure: a dead or slow Typesense costs the searches that were under way their 200 ms, and
 * those after it nothing. A request that Typesense refuses (4xx) is an answer, and opens nothing.
 */
export function createTypesenseSearch(options: TypesenseSearchOptions): TypesenseSearch {
  const { base = DEFAULT_BASE_NAME, timeoutMs = 200, probeAfterMs = 5_000 } = options
  const client = createTypesenseClient({ url: options.url, apiKey: options.apiKey, timeoutMs })
  const breaker = circuitBreaker(
    handleWhen((error) => error instanceof TypesenseUnavailableError || error instanceof TaskCancelledError),
    { breaker: new ConsecutiveBreaker(1), halfOpenAfter: probeAfterMs },
  )
  breaker.onBreak((event) => {
    if ('error' in event) options.onOpen?.(event.error)
  })
  breaker.onReset(() => options.onClose?.())
  let isProbing = false

  const guarded = async <T>(milliseconds: number, run: () => Promise<T>): Promise<T> => {
    try {
      return await wrap(breaker, timeout(milliseconds, TimeoutStrategy.Aggressive)).execute(run)
    } catch (error) {
      throw asFailed(error, timeoutMs)
    }
  }

  const probe = () => {
    if (isProbing) return
    isProbing = true
    guarded(timeoutMs, () => multiSearch(client, base, [{ q: '*', per_page: 0 }]))
      .catch(() => {})
      .finally(() => {
        isProbing = false
      })
  }

  return {
    isAvailable() {
      if (breaker.state === CircuitState.Closed) return true
      probe()
      return false
    },
    turn(generation) {
      const collection = collectionName(generation, base)
      let left = timeoutMs
      return {
        async ask(searches) {
          const startedAt = performance.now()
          try {
            // A turn that has used up its time fails as one that waited for it.
            return await guarded(Math.max(1, left), () => inCalls(client, collection, searches))
          } finally {
            left -= performance.now() - startedAt
          }
        },
      }
    },
    close: () => client.close(),
  }
}

async function inCalls(
  client: TypesenseClient,
  collection: string,
  searches: readonly OneSearch[],
): Promise<Found[]> {
  const calls: Promise<Found[]>[] = []
  for (let from = 0; from < searches.length; from += SEARCHES_A_CALL)
    calls.push(multiSearch(client, collection, searches.slice(from, from + SEARCHES_A_CALL)))
  return (await Promise.all(calls)).flat()
}

interface FailedSearch {
  readonly code: number
  readonly error: string
}

/** Reads each result: the status is 200 though a search in it failed (trap 11). */
async function multiSearch(
  client: TypesenseClient,
  collection: string,
  searches: readonly OneSearch[],
): Promise<Found[]> {
  const body = { searches: searches.map((one) => ({ collection, ...one })) }
  const { results } = await client.request(({ apiCall }) =>
    apiCall.post<{ results: (Found | FailedSearch)[] }>('/multi_search', body),
  )
  return results.map((result) => {
    if (!('error' in result)) return result
    if (result.code >= 500 || result.code === 408 || result.code === 429)
      throw new TypesenseUnavailableError(result.error, false)
    throw new TypesenseRefusedError(result.code, result.error)
  })
}

function asFailed(error: unknown, timeoutMs: number): unknown {
  if (error instanceof TaskCancelledError)
    return new TypesenseFailed(`unreachable (no answer within ${timeoutMs} ms)`)
  if (error instanceof BrokenCircuitError) return new TypesenseFailed('unreachable')
  if (error instanceof TypesenseUnavailableError) return new TypesenseFailed('unreachable')
  if (error instanceof TypesenseRefusedError)
    return new TypesenseFailed(
      error.status === 404
        ? 'has no index yet: start the projector (services/projector-typesense) once'
        : `refused the search (${error.status} ${error.message})`,
    )
  return error
}
