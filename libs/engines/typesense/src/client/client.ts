import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { backoffDelay } from '@daybook/runtime/backoff'
import { sql } from 'kysely'
import { Client } from 'typesense'
import { asTypesenseError, TypesenseUnavailableError } from './errors.ts'

/** How to reach a Typesense server. */
export interface TypesenseSettings {
  /** Such as `http://127.0.0.1:8108`. */
  readonly url: string
  readonly apiKey: string
  /** Milliseconds after which an unanswered request fails and its connection is closed. Default 10,000. */
  readonly timeoutMs?: number
}

/** A document as sent and received: flat, its `id` unique in its collection. */
export type JsonDocument = Readonly<Record<string, unknown>> & { readonly id: string }

/**
 * The connection to Typesense: the official client, with its failures turned into the errors of `errors.ts`.
 * Those never contain the API key or a memory's text.
 */
export interface TypesenseClient {
  /** Makes a call with the official client. @throws TypesenseUnavailableError, TypesenseRefusedError */
  request<T>(ask: (client: Client) => Promise<T>): Promise<T>
  /**
   * Sends lines to a collection's import.
   * @returns the answer's lines, failed ones included: the status is 200 even if lines failed
   */
  importLines(collection: string, action: 'upsert' | 'update', lines: readonly string[]): Promise<string[]>
  /** The longest duration of one call, in milliseconds. */
  readonly longestCallMs: number
  /** Closes the connections. */
  close(): void
}

/** Creates a client. It connects with the first request. */
export function createTypesenseClient(settings: TypesenseSettings): TypesenseClient {
  const { url, apiKey, timeoutMs = 10_000 } = settings
  // One connection pool for all calls: without it the client opens a new connection for each.
  const httpAgent = new HttpAgent({ keepAlive: true })
  const httpsAgent = new HttpsAgent({ keepAlive: true })
  const client = new Client({
    nodes: [{ url: url.replace(/\/+$/, '') }],
    apiKey,
    connectionTimeoutSeconds: timeoutMs / 1000,
    // The projector retries by itself.
    numRetries: 0,
    // Otherwise it prints to standard output, beside the structured log.
    logLevel: 'silent',
    httpAgent,
    httpsAgent,
  })
  const { host } = new URL(url)

  const request: TypesenseClient['request'] = async (ask) => {
    try {
      return await ask(client)
    } catch (error) {
      throw asTypesenseError(error, host)
    }
  }

  return {
    request,
    async importLines(collection, action, lines) {
      // Not the client's own import, which has no timeout: a projector hanging in it could not be stopped.
      const answer = await request(({ apiCall }) =>
        apiCall.post<unknown>(
          `/collections/${encodeURIComponent(collection)}/documents/import`,
          lines.join('\n'),
          { action },
          { 'Content-Type': 'text/plain' },
        ),
      )
      return typeof answer === 'string' ? answer.split('\n') : [JSON.stringify(answer)]
    },
    longestCallMs: timeoutMs,
    close() {
      httpAgent.destroy()
      httpsAgent.destroy()
    },
  }
}

/**
 * Backs off from a server that cannot take requests now. After a call that found it unavailable, further
 * calls are refused locally for a while: 250 ms, doubled with each such call up to 10 s. Otherwise every
 * project that is behind would send requests to an overloaded server once a second.
 */
export interface BackOffGate {
  /** Makes a call. @throws TypesenseUnavailableError while the gate is closed */
  pass<T>(call: () => Promise<T>): Promise<T>
}

/** Creates an open gate. */
export function createBackOffGate({ firstMs = 250, maxMs = 10_000 } = {}): BackOffGate {
  let failures = 0
  let closed: { readonly until: number; readonly reason: string } | null = null
  return {
    async pass(call) {
      if (closed !== null && performance.now() < closed.until)
        throw new TypesenseUnavailableError(
          `${closed.reason}; no more requests are sent to it for a moment`,
          false,
        )
      try {
        const answer = await call()
        failures = 0
        closed = null
        return answer
      } catch (error) {
        if (error instanceof TypesenseUnavailableError) {
          closed = {
            until: performance.now() + backoffDelay(failures, { firstMs, maxMs }),
            reason: error.message,
          }
          failures += 1
        }
        throw error
      }
    },
  }
}

/** SQL that identifies the current run of the database server by its start time. */
export const SERVER_RUN = sql<string>`extract(epoch from pg_postmaster_start_time())::text`
