import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * Passes requests on to a gateway with a key, because the conformance suite cannot send one. Of `Host` and `Origin` it changes
 * only its own port, so that foreign ones stay foreign.
 */
export async function startKeyProxy(
  target: string,
  key: string,
): Promise<{ readonly url: string; stop(): void }> {
  const { hostname, port } = new URL(target)
  const server = createServer((asked, answer) => {
    const own = `:${(server.address() as AddressInfo).port}`
    const renamed = (value: string | undefined) => value?.replace(own, `:${port}`)
    const { host, origin, ...headers } = asked.headers
    const passed = request(
      {
        hostname,
        port,
        path: asked.url,
        method: asked.method,
        headers: {
          ...headers,
          host: renamed(host),
          ...(origin !== undefined && { origin: renamed(origin) }),
          authorization: `Bearer ${key}`,
        },
      },
      (from) => {
        answer.writeHead(from.statusCode ?? 502, from.headers)
        from.pipe(answer)
      },
    )
    passed.on('error', () => answer.destroy())
    answer.on('close', () => passed.destroy())
    asked.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}
