import { connect, type Socket } from 'node:net'

/** A connection on which a test writes any bytes it likes. */
export function rawConnection(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.off('error', reject)
      // Such tests expect a server to cut off a hostile client.
      socket.on('error', () => {})
      resolve(socket)
    })
    socket.once('error', reject)
  })
}

/**
 * Everything that the server sends until it closes the connection, as latin1.
 * @param quietMs ends it also after so much silence, for requests that a server may take for the beginning of one. Default never
 */
export function untilClosed(socket: Socket, quietMs?: number): Promise<string> {
  return new Promise((resolve) => {
    const parts: Buffer[] = []
    const done = () => {
      clearTimeout(timer)
      resolve(Buffer.concat(parts).toString('latin1'))
      socket.destroy()
    }
    const timer = quietMs === undefined ? undefined : setTimeout(done, quietMs)
    socket.on('data', (part: Buffer) => {
      parts.push(part)
      timer?.refresh()
    })
    socket.once('close', done)
  })
}

/** Sends the bytes on a new connection. @param text characters up to U+00FF, one byte each @returns see `untilClosed` */
export async function rawRequest(url: string, text: string, quietMs?: number): Promise<string> {
  const socket = await rawConnection(url)
  socket.write(text, 'latin1')
  return untilClosed(socket, quietMs)
}

/** The status of an answer's first line; null if the connection was closed without an answer. */
export function statusOf(answer: string): number | null {
  const status = /^HTTP\/1\.1 (\d{3})/u.exec(answer)?.[1]
  return status === undefined ? null : Number(status)
}
