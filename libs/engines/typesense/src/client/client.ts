import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { Client } from 'typesense'
import { asTypesenseError } from './errors.ts'

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
