import { once } from 'node:events'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { answer } from './server/answer.ts'
import { type Faults, noFaults } from './server/faults.ts'
import { createStore } from './server/store.ts'

/** How to start a double. */
export interface TypesenseDoubleOptions {
  /** Default: a free port. */
  readonly port?: number
  readonly host?: string
  readonly apiKey: string
  /**
   * The file that keeps its collections, written half a second after a change and on `stop`. Default: none.
   */
  readonly dataFile?: string
}

/** A running double. */
export interface TypesenseDouble {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  readonly apiKey: string
  readonly faults: Faults
  /**
   * The requests since the start, or since the list was last emptied, such as `POST /multi_search`; without
   * queries.
   */
  readonly calls: string[]
  stop(): Promise<void>
}

/** The most calls kept: more than enough for a test. A process that runs for days must not keep them all. */
const KEPT_CALLS = 10_000
const WRITE_AFTER = 500

/**
 * A Typesense 29 for tests: an HTTP server that stores, tokenises, filters and searches. It gives the
 * recorded answers of the real server (`server/exchanges.db.test.ts`), and the same answers to random requests
 * of our client's kinds (`server/side-by-side.db.test.ts`). Not for production: vector search is exact,
 * everything is in memory, there is no cluster.
 *
 * ```ts
 * const double = await startTypesenseDouble({ apiKey: 'test' })
 * double.faults.slow(1_000)
 * await double.stop()
 * ```
 */
export async function startTypesenseDouble(options: TypesenseDoubleOptions): Promise<TypesenseDouble> {
  const { dataFile, apiKey, host = '127.0.0.1' } = options
  const store = createStore(
    dataFile !== undefined && existsSync(dataFile) ? JSON.parse(readFileSync(dataFile, 'utf8')) : undefined,
  )
  const state = noFaults()
  const calls: string[] = []
  let timer: NodeJS.Timeout | null = null
  let isStopped = false

  const save = () => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    if (dataFile === undefined) return
    writeFileSync(`${dataFile}.new`, JSON.stringify(store.toJson()))
    renameSync(`${dataFile}.new`, dataFile)
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = 'GET', url = '/' } = request
    if (calls.length < KEPT_CALLS) calls.push(`${method} ${url.split('?')[0]}`)
    if (state.slowBy > 0) await pause(state.slowBy, undefined, { ref: false })
    const reply = answer(store, apiKey, state, {
      method,
      url,
      apiKey: String(request.headers['x-typesense-api-key'] ?? ''),
      body: Buffer.concat(chunks).toString(),
    })
    response.writeHead(reply.status, { 'content-type': reply.contentType }).end(reply.text)
    if (method !== 'GET' && !url.startsWith('/multi_search') && dataFile !== undefined)
      timer ??= setTimeout(save, WRITE_AFTER)
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (!response.headersSent)
        response.writeHead(500, { 'content-type': 'application/json; charset=utf-8' })
      response.end(
        JSON.stringify({ message: `The double failed: ${error instanceof Error ? error.stack : error}` }),
      )
    })
  })
  const listen = async (port: number) => {
    server.listen(port, host)
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const close = async () => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }

  const port = await listen(options.port ?? 0)
  return {
    url: `http://${host}:${port}`,
    apiKey,
    calls,
    faults: {
      refuse: close,
      async accept() {
        if (!server.listening) await listen(port)
      },
      slow: (milliseconds) => {
        state.slowBy = milliseconds
      },
      notReady: (on) => {
        state.isNotReady = on
      },
      failLines: (predicate) => {
        state.failingLine = predicate ?? (() => null)
      },
      loseEverything: () => store.clear(),
    },
    async stop() {
      if (isStopped) return
      isStopped = true
      await close()
      save()
    },
  }
}
