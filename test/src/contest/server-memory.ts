import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Connection } from '../eval/peers/connection.ts'
import { openMcp } from '../eval/peers/mcp.ts'
import type { Peer } from '../eval/peers/peer.ts'
import { tellingWords } from './libraries/library.ts'

interface Entity {
  readonly name: string
}

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
    const tool = { tool: '', arguments: {} }
    const peer = { command: [process.execPath, program] as const, environment, store: tool, search: tool }
    connections.set(group, await openMcp(peer, {}))
  }
  return {
    name: 'server-memory',
    folders: [folder],
    async open(group) {
      await connect(group)
      const call = async (tool: string, given: object) =>
        (await connections.get(group)?.call({ tool, arguments: given })) as { entities: readonly Entity[] }
      const ask = (question: string) =>
        Promise.all(tellingWords(question).map((query) => call('search_nodes', { query })))
      return {
        async store(memories) {
          const entities = memories.map(({ id, text }) => ({
            name: id,
            entityType: 'memory',
            observations: [text],
          }))
          await call('create_entities', { entities })
        },
        async search(question, limit) {
          const words = new Map<string, number>()
          for (const { entities } of await ask(question))
            for (const { name } of entities) words.set(name, (words.get(name) ?? 0) + 1)
          return [...words.entries()]
            .toSorted(([, a], [, b]) => b - a)
            .slice(0, limit)
            .map(([name]) => name)
        },
        // It has no limit: an agent reads all that has a word.
        answerBytes: async (question) =>
          (await ask(question)).reduce(
            (sum, graph) => sum + Buffer.byteLength(JSON.stringify(graph, null, 2)),
            0,
          ),
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
