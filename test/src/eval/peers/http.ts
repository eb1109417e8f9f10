import type { Connection } from './connection.ts'
import { fill, type Values } from './fill.ts'
import { PeerFailed } from './peer.ts'

/** A server with an API of JSON over HTTP. */
export interface HttpPeer {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly store: HttpCall
  readonly search: HttpCall
}

interface HttpCall {
  /** Default POST. */
  readonly method?: string
  /** After the url. */
  readonly path: string
  readonly body?: unknown
}

/** Talks to the server; it must be running. */
export function openHttp({ url, headers = {} }: HttpPeer, values: Values): Connection {
  const sent = { 'content-type': 'application/json', ...(fill(headers, values) as Record<string, string>) }
  return {
    async call(template) {
      const { method = 'POST', path, body } = template as HttpCall
      const response = await fetch(new URL(path, url), {
        method,
        headers: sent,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(60_000),
      })
      const text = await response.text()
      if (!response.ok)
        throw new PeerFailed(`${method} ${path} answered ${response.status}: ${text.slice(0, 300)}`)
      return text === '' ? null : (JSON.parse(text) as unknown)
    },
    close: async () => {},
  }
}
