import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { PeerStore } from '../eval/peers/peer.ts'
import { miniLmVectors } from '../eval/peers/vectors.ts'
import type { OpenLibrary } from './libraries/library.ts'

/*
 * Runs one library in a process of its own, so that its memory and processor time can be measured, and so that it can be killed:
 * `host.ts <library> <folder> <packages> [database]`. Answers JSON-RPC, a line a message.
 */

const LIBRARIES = {
  sqlite: async () => (await import('./libraries/sqlite.ts')).openSqlite,
  langgraph: async () => (await import('./libraries/langgraph.ts')).openLangGraph,
  mem0: async () => (await import('./libraries/mem0.ts')).openMem0,
  markdown: async () => (await import('./libraries/markdown.ts')).openMarkdown,
  minisearch: async () => (await import('./libraries/minisearch.ts')).openMiniSearch,
  orama: async () => (await import('./libraries/orama.ts')).openOrama,
  // As a program has it that talks to a server, which is not its own.
  pgvector: async () => {
    const { pgvectorPeer } = await import('../eval/peers/pgvector-rrf.ts')
    return ({ databaseUrl: url = '', vectors }) => pgvectorPeer({ url, stop: async () => {} }, vectors)
  },
} satisfies Record<string, () => Promise<OpenLibrary>>

/** The libraries that can be hosted. */
export type LibraryName = keyof typeof LIBRARIES

/** Calls one method of a store. */
export interface HostRequest {
  readonly group: string
  readonly method: Exclude<keyof PeerStore, 'settled'>
  readonly args: readonly unknown[]
}

const [name, folder = '', packages = '', databaseUrl] = process.argv.slice(2)
const require = createRequire(join(packages, 'package.json'))
const open = await LIBRARIES[name as LibraryName]()
const vectors = miniLmVectors()
const library = await open({ folder, databaseUrl, load: (one) => require(one), vectors })
const stores = new Map<string, Promise<PeerStore>>()
const answer = (message: object) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

createInterface(process.stdin).on('line', async (line) => {
  const { id, params } = JSON.parse(line) as { id: number; params: HostRequest }
  const { group, method, args } = params
  try {
    const opened = stores.get(group) ?? library.open(group)
    stores.set(group, opened)
    const store = (await opened) as unknown as Record<string, (...all: readonly unknown[]) => unknown>
    answer({ id, result: (await store[method]?.(...args)) ?? null })
  } catch (error) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
    answer({ id, error: { message } })
  }
})
