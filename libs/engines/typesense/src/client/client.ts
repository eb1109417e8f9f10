import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { Client } from 'typesense'
import { asTypesenseError } from './errors.ts'

export interface TypesenseSettings {
  /** Such as `http://127.0.0.1:8108`. */
  readonly url: string
  readonly apiKey: string
  /** Milliseconds until a request counts as unanswered; its connection is closed then. Default 10,000. */
  readonly timeoutMs?: number
}

/** A document as it is sent and comes back: flat, its `id` unique in its collection. */
export type JsonDocument = Readonly<Record<string, unknown>> & { readonly id: string }

/**
 * How Typesense is talked to: the official client, its failures as the errors of `errors.ts`, in which neither the API key
 * nor a memory's text can stand.
 */
export interface TypesenseClient {
  /** Makes a call of the official client. @throws TypesenseUnavailableError, TypesenseRefusedError */
  request<T>(ask: (client: Client) => Promise<T>): Promise<T>
  /**
   * Sends lines to a collection's import.
   * @returns the answer's lines; those that failed are among them, since the status is 200 all the same (trap 10)
   */
  importLines(collection: string, action: 'upsert' | 'update', lines: readonly string[]): Promise<string[]>
  /** The longest that one call can take, in milliseconds. */
  readonly longestCallMs: number
  /** Closes the connections. */
  close(): void
}

export function createTypesenseClient(settings: TypesenseSettings): TypesenseClient {
  const { url, apiKey, timeoutMs = 10_000 } = settings
  // One connection pool for all calls: the client itself would open a new one for each.
  const httpAgent = new HttpAgent({ keepAlive: true })
  const httpsAgent = new HttpsAgent({ keepAlive: true })
  const client = new Client({
    nodes: [{ url: url.replace(/\/+$/, '') }],
    apiKey,
    connectionTimeoutSeconds: timeoutMs / 1000,
    // The projector has its own patience.
    numRetries: 0,
    // It would print to standard output, beside the structured log.
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
      // Not the client's own import, which waits for ever: a projector that hangs could not be stopped.
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
