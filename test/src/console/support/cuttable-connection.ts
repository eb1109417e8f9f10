import { connect, createServer, type Socket } from 'node:net'

/**
 * A way to a server that can be cut. Browsers take it as their proxy, so that the page's address, which the gateway checks, stays
 * the server's own.
 */
export interface CuttableConnection {
  readonly url: string
  /** Breaks all connections, and refuses new ones. */
  cut(): void
  mend(): void
  stop(): Promise<void>
}

/** Opens a way to the server at `url`, on a port of its own. */
export async function cuttableConnection(url: string): Promise<CuttableConnection> {
  const { hostname, port } = new URL(url)
  const open = new Set<Socket>()
  let isCut = false
  const server = createServer((client) => {
    if (isCut) return void client.destroy()
    const upstream = connect(Number(port), hostname)
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(one)
      // Either end may break at any moment; then the other ends too.
      one.on('error', () => {})
      one.once('close', () => {
        open.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('there is no free port')
  const endAll = () => {
    for (const socket of open) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${address.port}`,
    cut() {
      isCut = true
      endAll()
    },
    mend() {
      isCut = false
    },
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve))
      endAll()
      await closed
    },
  }
}
