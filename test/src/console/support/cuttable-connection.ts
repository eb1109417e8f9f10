import { startSwitchingProxy } from '@daybook/postgres/testing/switching-proxy'

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
  const proxy = await startSwitchingProxy()
  const mend = () => proxy.route({ host: hostname, port: Number(port) })
  mend()
  return { url: `http://127.0.0.1:${proxy.port}`, cut: () => proxy.route(null), mend, stop: proxy.stop }
}
