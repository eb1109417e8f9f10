import type { McpServer } from '@modelcontextprotocol/server'

/**
 * Lets a client of the revisions of 2025 subscribe to resources over a connection that stays.
 * @param onFirst called when the first one is subscribed to
 * @returns whether a resource is subscribed to
 */
export function takeSubscriptions(server: McpServer, onFirst: () => void): (uri: string) => boolean {
  const subscribed = new Set<string>()
  server.server.setRequestHandler('resources/subscribe', ({ params: { uri } }) => {
    if (subscribed.size === 0) onFirst()
    subscribed.add(uri)
    return {}
  })
  server.server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    subscribed.delete(uri)
    return {}
  })
  return (uri) => subscribed.has(uri)
}
