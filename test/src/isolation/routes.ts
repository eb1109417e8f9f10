import { ROUTES } from '@daybook/gateway/routes'
import { receive } from './ask.ts'
import { look, type Reader, type World } from './world.ts'

const mcp = (method: string, params: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
})

const asked = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

/** The ways in which each route is asked, and some paths below those that end in `/`. */
const ASKED: Readonly<Record<string, readonly RequestInit[]>> = {
  '/': [{}, { headers: { accept: 'text/html' } }],
  '/console': [{ headers: { accept: 'text/html' } }],
  '/console/': [{ headers: { accept: 'text/html' } }],
  '/console/assets/': [{}],
  '/console/session': [
    {},
    { headers: { 'x-daybook-console': '1' } },
    { method: 'POST', body: '{}', headers: { 'x-daybook-console': '1' } },
  ],
  '/health': [{}],
  '/ready': [{}],
  '/metrics': [{}],
  '/.well-known/oauth-protected-resource': [{}],
  '/.well-known/oauth-protected-resource/': [{}],
  '/graphql': [
    { headers: { accept: 'text/html' } },
    { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } },
  ],
  '/mcp': [
    {},
    mcp('tools/call', { name: 'search', arguments: { query: 'text' } }),
    mcp('tools/call', { name: 'context_for', arguments: { query: 'text' } }),
    mcp('tools/call', { name: 'list_labels', arguments: {} }),
    mcp('resources/read', { uri: 'daybook://recent' }),
  ],
  '/graphql/': [{}],
  '/graphql/key': [{}, { method: 'POST', body: 'x' }],
  '/journal/export': [{}, { method: 'POST' }],
  '/journal/import': [{}, { method: 'POST', body: '{"format":"daybook-journal"}\n' }],
  '/sync/': [{}],
  // With a place it would be a stream without an end; test/src/sync/scope-of-followers.db.test.ts asks for that.
  '/sync/journal': [{}],
  '/sync/hello': [{}, asked({})],
  '/sync/common': [asked({ places: [{ sequence: 0, hash: '0'.repeat(64) }] })],
  '/sync/vectors': [asked({ modelId: 'test', hashes: ['0'.repeat(64)] })],
  '/sync/commands': [asked({ commands: [] }), asked({})],
  '/sync/erase': [asked({ memoryIds: [], correlationId: null, causationId: null })],
  '/sync/hand-over': [asked({ epoch: 1 })],
}

/** The routes of the gateway that this file does not ask. */
export const unknownRoutes = (): string[] => ROUTES.map(({ path }) => path).filter((path) => !(path in ASKED))

/** Asks every route with the readers' keys, also about projects of others. */
export async function askRoutes(world: World, readers: readonly Reader[]): Promise<void> {
  for (const reader of readers)
    for (const [path, requests] of Object.entries(ASKED))
      for (const request of requests)
        for (const { id, name } of world.projects) {
          const search = path.startsWith('/journal') ? `?project=${encodeURIComponent(name)}` : ''
          for (const header of [undefined, id]) {
            const headers = {
              authorization: `Bearer ${reader.key}`,
              ...(header !== undefined && { 'x-daybook-project': header }),
              ...request.headers,
            }
            const answer = await receive(`${reader.url}${path}${search}`, { ...request, headers })
            // A name that was asked for may be repeated.
            const hidden = answer.replaceAll(name, '').replaceAll(encodeURIComponent(name), '')
            look(world, reader, `${request.method ?? 'GET'} ${path}`, hidden, id)
          }
        }
}

/** With a key of the whole Daybook, the export of a project has nothing of the others. */
export async function exportEach(world: World): Promise<void> {
  const [anyone] = world.readers
  if (anyone === undefined) return
  for (const project of world.projects) {
    const url = `${world.admin.url}/journal/export?project=${project.id}`
    const answer = await receive(url, { headers: { authorization: `Bearer ${world.admin.key}` } })
    look(world, { ...anyone, name: 'an export', readable: [project] }, url, answer)
    if (!answer.includes(project.marker)) throw new Error('an export lacks its own project')
  }
}
