import { connect, createServer, type NetConnectOpts, type Socket } from 'node:net'

/** One address for a server that changes or goes away, like a virtual address or a connection pooler. */
export interface SwitchingProxy {
  readonly port: number
  /** New connections go to the server there; null refuses them. Existing connections end. */
  route(to: NetConnectOpts | null): void
  stop(): Promise<void>
}

/** Starts a proxy on a free port; it refuses connections until `route` is called. */
export async function startSwitchingProxy(): Promise<SwitchingProxy> {
  const open = new Set<Socket>()
  let target: NetConnectOpts | null = null
  const server = createServer((client) => {
    if (target === null) return void client.destroy()
    const upstream = connect(target)
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
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  const endAll = () => {
    for (const socket of open) socket.destroy()
  }
  return {
    port: address.port,
    route(to) {
      target = to
      endAll()
    },
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve))
      endAll()
      await closed
    },
  }
}
