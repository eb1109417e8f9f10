import { request as requestHttp } from 'node:http'
import { text } from 'node:stream/consumers'

/** What to send. Default: a GET without a body. */
interface Sent {
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** How long the whole exchange may take, in milliseconds. */
  readonly timeoutMs: number
}

/**
 * Sends a request and reads the whole answer. It uses node's own HTTP, because loading `fetch` takes a command
 * 30 ms of processor time longer (docs/measurements.md#start-of-the-cli).
 * @throws the system's error, or a TimeoutError as the `cause` of an error
 */
export async function exchange(
  url: string,
  { method = 'GET', headers = {}, body = '', timeoutMs }: Sent,
): Promise<{ status: number; text: string }> {
  // Most daemons are reached without TLS, and loading it takes time too.
  const request = url.startsWith('https:') ? (await import('node:https')).request : requestHttp
  return new Promise((resolve, reject) => {
    const length = method === 'POST' ? { 'content-length': Buffer.byteLength(body) } : {}
    const signal = AbortSignal.timeout(timeoutMs)
    request(url, { method, headers: { ...headers, ...length }, signal }, (response) => {
      text(response).then((answer) => resolve({ status: response.statusCode ?? 0, text: answer }), reject)
    })
      .on('error', reject)
      .end(body)
  })
}
