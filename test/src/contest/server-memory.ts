import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Connection } from '../eval/peers/connection.ts'
import { openMcp } from '../eval/peers/mcp.ts'
import type { Peer } from '../eval/peers/peer.ts'
import { mostWords, tellingWords } from './libraries/library.ts'

/**
 * `@modelcontextprotocol/server-memory`, told with `create_entities` and asked with `search_nodes`. That finds texts with the whole query
 * in them, so it is asked for each telling word of a question, and what has the most of them comes first.
 * @param packages the folder with the installed packages
 */
export function serverMemoryPeer(packages: string): Peer {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-contest-'))
  const program = join(packages, 'node_modules/@modelcontextprotocol/server-memory/dist/index.js')
  const connections = new Map<string, Connection>()
  const connect = async (group: string) => {
    const environment = { MEMORY_FILE_PATH: join(folder, `${group}.jsonl`) }
    const [command, none] = [[process.execPath, program] as const, { tool: '', arguments: {} }]
    connections.set(group, await openMcp({ command, environment, store: none, search: none }, {}))
  }
  return {
    name: 'server-memory',
    folders: [folder],
    async open(group) {
      await connect(group)
      const call = async (tool: string, given: object) =>
        (await connections.get(group)?.call({ tool, arguments: given })) as {
          entities: readonly { name: string }[]
        }
      const ask = (question: string) =>
        Promise.all(tellingWords(question).map((query) => call('search_nodes', { query })))
      return {
        async store(memories) {
          const entityType = 'memory'
          const entities = memories.map(({ id, text }) => ({ name: id, entityType, observations: [text] }))
          await call('create_entities', { entities })
        },
        async search(question, limit) {
          const found = (await ask(question)).map(({ entities }) => entities)
          return mostWords(
            found.flatMap((all, word) => all.map(({ name }) => [name, `${word}`] as const)),
            limit,
          )
        },
        // It has no limit: an agent reads all that has a word.
        answerBytes: async (question) =>
          Buffer.byteLength((await ask(question)).map((graph) => JSON.stringify(graph, null, 2)).join('')),
        remove: async (id) => void (await call('delete_entities', { entityNames: [id] })),
        ids: async () => (await call('read_graph', {})).entities.map(({ name }) => name),
        close: async () => connections.get(group)?.close(),
      }
    },
    async restart() {
      for (const group of connections.keys()) await connect(group)
    },
    close: async () => rmSync(folder, { recursive: true, force: true }),
  }
}
