import { EngineFailed } from '@daybook/search/engine/engine-failed'
import {
  BrokenCircuitError,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  ExponentialBackoff,
  handleWhen,
  noJitterGenerator,
  TaskCancelledError,
  TimeoutStrategy,
  timeout,
  wrap,
} from 'cockatiel'
import { createTypesenseClient, type TypesenseClient } from '../client/client.ts'
import { TypesenseRefusedError, TypesenseUnavailableError } from '../client/errors.ts'
import { collectionName, DEFAULT_BASE_NAME } from '../write/collection.ts'
import { createPatience } from './patience.ts'

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
   * @throws EngineFailed
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
  /**
   * The longest that one search may wait for Typesense in total, in milliseconds. Default 2,000. A search waits less where the
   * server usually takes less (`patience.ts`).
   */
  readonly timeoutMs?: number
  /** Milliseconds until an open circuit is probed for the first time; doubled with each probe that fails, up to 5,000. Default 500. */
  readonly probeAfterMs?: number
  /** For the log: hears that Typesense is left alone from now on and why, as an operator needs it. */
  readonly onOpen?: (reason: Error) => void
  /** For the log: hears that it is asked again. */
  readonly onClose?: () => void
}

/** The server's default for `limit_multi_searches`. */
const SEARCHES_A_CALL = 50

/**
 * Calls in a row without an answer that open the circuit. One slow answer is no dead server: on a busy machine every few hundredth
 * search met one, and with 1 here it took Typesense away from all others for five seconds.
 */
const FAILURES_IN_A_ROW = 3

const PROBE_AT_MOST_MS = 5_000

/**
 * The circuit opens when three calls in a row got no answer: a dead or hanging Typesense costs those searches their time, and those
 * after it nothing. A request that Typesense refuses (4xx) is an answer, and opens nothing.
 */
export function createTypesenseSearch(options: TypesenseSearchOptions): TypesenseSearch {
  const { base = DEFAULT_BASE_NAME, timeoutMs = 2_000, probeAfterMs = 500 } = options
  const client = createTypesenseClient({ url: options.url, apiKey: options.apiKey, timeoutMs })
  const breaker = circuitBreaker(
    handleWhen((error) => error instanceof TypesenseUnavailableError || error instanceof TaskCancelledError),
    {
      breaker: new ConsecutiveBreaker(FAILURES_IN_A_ROW),
      halfOpenAfter: new ExponentialBackoff({
        initialDelay: probeAfterMs,
        maxDelay: Math.max(PROBE_AT_MOST_MS, probeAfterMs),
        generator: noJitterGenerator,
      }),
    },
  )
  breaker.onBreak((event) => {
    if ('error' in event) options.onOpen?.(event.error)
  })
  breaker.onReset(() => options.onClose?.())
  const patience = createPatience(timeoutMs)
  let isProbing = false

  /** @param waited by the search before this call, for what is said of it */
  const guarded = async <T>(left: number, waited: number, run: () => Promise<T>): Promise<T> => {
    const measured = async () => {
      const startedAt = performance.now()
      const took = () => patience.took(performance.now() - startedAt)
      try {
        const answer = await run()
        took()
        return answer
      } catch (error) {
        // What was refused at once says nothing of how long an answer takes.
        if (error instanceof TypesenseUnavailableError && error.mayHaveArrived) took()
        throw error
      }
    }
    try {
      return await wrap(breaker, timeout(left, TimeoutStrategy.Aggressive)).execute(measured)
    } catch (error) {
      throw asFailed(error, waited + left)
    }
  }

  const probe = () => {
    if (isProbing) return
    isProbing = true
    guarded(timeoutMs, 0, () => multiSearch(client, base, [{ q: '*', per_page: 0 }]))
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
      const allowed = patience.allowedMs()
      // Both retrievers may ask at once; that time is waited once.
      let waited = 0
      let underWay = 0
      let since = 0
      return {
        async ask(searches) {
          if (underWay > 0) waited += performance.now() - since
          since = performance.now()
          underWay += 1
          try {
            // A turn that has used up its time fails as one that waited for it.
            return await guarded(Math.max(1, allowed - waited), waited, () =>
              inCalls(client, collection, searches),
            )
          } finally {
            waited += performance.now() - since
            since = performance.now()
            underWay -= 1
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

function asFailed(error: unknown, waitedMs: number): unknown {
  if (error instanceof TaskCancelledError)
    return new EngineFailed(`unreachable (no answer within ${Math.round(waitedMs)} ms)`)
  if (error instanceof BrokenCircuitError) return new EngineFailed('unreachable')
  if (error instanceof TypesenseUnavailableError) return new EngineFailed('unreachable')
  if (error instanceof TypesenseRefusedError)
    return new EngineFailed(
      error.status === 404
        ? 'has no index yet: start the projector (services/projector-typesense) once'
        : `refused the search (${error.status} ${error.message})`,
    )
  return error
}
