import { EngineFailed } from '@daybook/projection/engine/search-engine'
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

/** One search of a `multi_search` with Typesense's parameters. The collection is added later. */
export type OneSearch = Readonly<Record<string, string | number | boolean>>

/** The result of one search. */
export interface TypesenseResult {
  /** The number of all matches. */
  readonly found: number
  /** The values of each field in `facet_by`. */
  readonly facet_counts: readonly { readonly counts: readonly { readonly value: string }[] }[]
}

/** One search request's use of Typesense, with the time that it may spend there over all calls. */
export interface TypesenseTurn {
  /**
   * Runs all searches at the same time, in calls of at most 50.
   * @returns each search's result, in the given order
   * @throws EngineFailed
   */
  ask(searches: readonly OneSearch[]): Promise<TypesenseResult[]>
}

/**
 * Typesense as searches use it. There is one per process, because the circuit breaker remembers whether the
 * server answers.
 */
export interface TypesenseSearch {
  /**
   * Whether to search there at all. While the circuit is open this is false at once. After a pause a probe is
   * sent in the background; no search waits for it, and it closes the circuit if it succeeds.
   */
  isAvailable(): boolean
  /**
   * Begins a search request.
   * @param generation the live generation according to Postgres. Its collection is queried by name, not by
   *   the alias, which is moved a moment later: a query's vector must meet vectors of its own model
   */
  turn(generation: number): TypesenseTurn
  close(): void
}

/** How to search a Typesense server. */
export interface TypesenseSearchOptions {
  /** Such as `http://127.0.0.1:8108`. */
  readonly url: string
  /** A key with the right to search is enough. */
  readonly apiKey: string
  /** The prefix of the collections' names, and the alias. Default `daybook_memories`. */
  readonly base?: string
  /**
   * The longest that one search may wait for Typesense in total, in milliseconds. Default 2,000. A search
   * waits less if the server is usually faster (`patience.ts`).
   */
  readonly timeoutMs?: number
  /**
   * Milliseconds until an open circuit is first probed; doubled with each failed probe up to 5,000. Default
   * 500.
   */
  readonly probeAfterMs?: number
  /** Called when the circuit opens, with the reason, for the log. */
  readonly onOpen?: (reason: Error) => void
  /** Called when the circuit closes again, for the log. */
  readonly onClose?: () => void
}

/** The server's default for `limit_multi_searches`. */
const SEARCHES_A_CALL = 50

/**
 * Calls in a row without an answer that open the circuit. One slow answer does not mean a dead server: on a
 * busy machine one search in several hundred met one, and a limit of 1 then took Typesense away from all
 * searches for five seconds.
 */
const FAILURES_IN_A_ROW = 3

const PROBE_AT_MOST_MS = 5_000

/**
 * Creates the searches of one server. The circuit opens after three calls in a row without an answer: a dead
 * or hanging Typesense costs those searches their time, and later ones nothing. A refused request (4xx) is an
 * answer and does not open the circuit.
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

  /** @param waited the milliseconds that the search waited before this call, for the error message */
  const guarded = async <T>(left: number, waited: number, run: () => Promise<T>): Promise<T> => {
    const measured = async () => {
      const startedAt = performance.now()
      const took = () => patience.took(performance.now() - startedAt)
      try {
        const answer = await run()
        took()
        return answer
      } catch (error) {
        // A request that was refused at once tells nothing about how long an answer takes.
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
      // Both retrievers may have calls under way at the same time; that time counts once.
      let waited = 0
      let underWay = 0
      let since = 0
      return {
        async ask(searches) {
          if (underWay > 0) waited += performance.now() - since
          since = performance.now()
          underWay += 1
          try {
            // If the time is used up, this fails like a call that waited too long.
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
): Promise<TypesenseResult[]> {
  const calls: Promise<TypesenseResult[]>[] = []
  for (let from = 0; from < searches.length; from += SEARCHES_A_CALL)
    calls.push(multiSearch(client, collection, searches.slice(from, from + SEARCHES_A_CALL)))
  return (await Promise.all(calls)).flat()
}

interface FailedSearch {
  readonly code: number
  readonly error: string
}

/** Sends one `multi_search` and checks each result: the status is 200 even if a search in it failed. */
async function multiSearch(
  client: TypesenseClient,
  collection: string,
  searches: readonly OneSearch[],
): Promise<TypesenseResult[]> {
  const body = { searches: searches.map((one) => ({ collection, ...one })) }
  const { results } = await client.request(({ apiCall }) =>
    apiCall.post<{ results: (TypesenseResult | FailedSearch)[] }>('/multi_search', body),
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
