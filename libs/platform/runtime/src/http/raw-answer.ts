import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { SECURITY_HEADERS } from './security-headers.ts'

/**
 * Answers on a bare socket and closes it: for a request that could not be read, or a refused WebSocket, where
 * Node gives no response object.
 */
export function answerRaw(
  socket: Duplex,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (!socket.writable) return void socket.destroy()
  const text = `${JSON.stringify(body)}\n`
  const head = {
    ...SECURITY_HEADERS,
    'cache-control': 'no-store',
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(text)),
    connection: 'close',
  }
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${text}`)
}
