import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fill, takesSeveral, type Values, valuesAt } from './fill.ts'
import { type HttpPeer, openHttp } from './http.ts'
import { type McpPeer, openMcp } from './mcp.ts'
import { type Peer, PeerFailed, type PeerMemory, type PeerStore } from './peer.ts'

/** A memory server that a JSON file describes (`README.md`). */
export type Description = {
  readonly name: string
  /** Where an answer to a search has the ids, or the whole texts, of memories, best first: `results.*.id`. */
  readonly results: string
} & (McpPeer | HttpPeer)

/** The peer that a file describes. @throws PeerFailed if the file is no description */
export function describedPeer(file: string): Peer {
  const description = JSON.parse(readFileSync(file, 'utf8')) as Partial<Description>
  for (const field of ['name', 'store', 'search', 'results'] as const)
    if (description[field] === undefined) throw new PeerFailed(`${file} does not say "${field}"`)
  if (!('command' in description) && !('url' in description))
    throw new PeerFailed(`${file} says neither a "command" (MCP) nor a "url" (HTTP)`)
  const peer = description as Description
  return { name: peer.name, open: (group) => openStore(peer, group), close: async () => {} }
}

async function openStore(description: Description, group: string): Promise<PeerStore> {
  const { store, search, results } = description
  const folder = mkdtempSync(join(tmpdir(), 'daybook-peer-'))
  const fixed: Values = { group, folder }
  const connection =
    'command' in description ? await openMcp(description, fixed) : openHttp(description, fixed)
  const idOf = new Map<string, string>()
  return {
    async store(memories) {
      for (const { id, text } of memories) idOf.set(text, id).set(id, id)
      const batches = takesSeveral(store) ? [memories] : memories.map((memory) => [memory])
      for (const batch of batches)
        await connection.call(fill(store, { ...fixed, ...valuesOf(batch[0]) }, batch.map(valuesOf)))
    },
    async search(question, limit) {
      const answer = await connection.call(fill(search, { ...fixed, question, limit }))
      const found = valuesAt(answer, results).flatMap((one) => idOf.get(String(one)) ?? [])
      return [...new Set(found)].slice(0, limit)
    },
    async close() {
      await connection.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const valuesOf = (memory: PeerMemory | undefined): Values => ({ id: memory?.id, text: memory?.text })
