import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { readRequestTarget } from './request-target.ts'

/** Takes over the socket of a WebSocket upgrade. */
export type TakeUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

/**
 * Passes on WebSocket upgrades of one path. Any other upgrade (`h2c`, which curl --http2 and some Java
 * clients ask for) is answered as if it had not been requested, as HTTP says (RFC 9110, 7.8). Node emits
 * 'upgrade' either for all or for none.
 *
 * @param isAnswering whether an answer is still being sent on the socket
 */
export function takeWebSockets(
  server: Server,
  path: string,
  { take, isAnswering }: { readonly take: TakeUpgrade; readonly isAnswering: (socket: Duplex) => boolean },
): void {
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const wanted = request.headers.upgrade?.toLowerCase() === 'websocket' && request.method === 'GET'
    if (wanted && readRequestTarget(request.url).path === path) return take(request, socket, head)
    // The new answer would be mixed into the bytes of the previous one.
    if (isAnswering(socket)) return void socket.destroy()
    socket.unshift(Buffer.concat([Buffer.from(withoutUpgrade(request), 'latin1'), head]))
    server.emit('connection', socket)
  })
}

const OF_UPGRADE = new Set(['upgrade', 'http2-settings'])

/** The request as it was sent, without its upgrade headers. */
function withoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2)
    const lower = name.toLowerCase()
    if (OF_UPGRADE.has(lower)) continue
    if (lower !== 'connection') lines.push(`${name}: ${value}`)
    else {
      const others = value.split(',').filter((token) => !OF_UPGRADE.has(token.trim().toLowerCase()))
      if (others.length > 0) lines.push(`${name}: ${others.join(',')}`)
    }
  }
  return `${lines.join('\r\n')}\r\n\r\n`
}
