import { connectMcp } from '@daybook/gateway/testing/mcp-client'
import type { CallTool } from '@daybook/gateway/testing/mcp-examples'
import { HITS } from '../ask.ts'
import type { Place } from '../daybook/evaluated-daybook.ts'
import { ID_IN_METADATA, inBatches, toInput, untilSearchable } from '../daybook/load-memories.ts'
import { startOwnDaybook } from '../daybook/own-daybook.ts'
import { type Peer, PeerFailed, type PeerMemory, type PeerStore } from './peer.ts'

/**
 * Daybook as agents use it: told with the tool `remember` and asked with the tool `search`, by the
 * SDK's client over HTTP. The same daemon as the peer `daybook`, so that what differs is the way.
 */
export async function daybookMcpPeer(groups: readonly string[]): Promise<Peer> {
  const daybook = await startOwnDaybook({ groups, embedder: 'minilm' })
  return {
    name: 'daybook-mcp',
    open: (group) => openStore(daybook.place(group)),
    close: daybook.close,
  }
}

/** The store of a group, over MCP. */
export async function openStore(place: Place): Promise<PeerStore> {
  const { url, apiKey } = place.address()
  const client = await connectMcp(url, apiKey, { name: 'daybook-eval' })
  const call: CallTool = async (name, given) => {
    const answer = await client.callTool({ name, arguments: { ...given } })
    return answer as Awaited<ReturnType<CallTool>>
  }
  const succeeded = async (...[name, given]: Parameters<CallTool>) => {
    const { isError, content, structuredContent } = await call(name, given)
    if (isError === true) throw new PeerFailed(`${name} answered: ${content[0]?.text?.slice(0, 300)}`)
    return structuredContent ?? {}
  }
  let ready = false
  return {
    async store(memories) {
      ready = false
      for (const batch of inBatches(memories))
        await succeeded('remember', { memories: batch.map((memory) => toolInput(memory, place)) })
    },
    async settled() {
      await untilSearchable(place, true, () => {})
      ready = true
    },
    async search(query, limit) {
      const { hits, degraded } = (await succeeded('search', { query, limit: HITS })) as unknown as Found
      // A memory that was just written may have no vector yet, and is found by its words.
      if (ready && degraded !== undefined)
        throw new PeerFailed(`the answer to "${query}" is not complete: ${degraded.join('; ')}`)
      return hits.slice(0, limit).map(({ metadata }) => String(metadata[ID_IN_METADATA]))
    },
    close: () => client.close(),
  }
}

interface Found {
  readonly hits: readonly { readonly metadata: Readonly<Record<string, unknown>> }[]
  readonly degraded?: readonly string[]
}

/** A `RememberInput` as the tool takes it: the kind, and its fields beside. */
function toolInput(memory: PeerMemory, place: Place): Record<string, unknown> {
  const {
    content,
    idempotencyKey: _,
    ...common
  } = toInput(memory, place) as Readonly<Record<string, unknown>>
  const [[kind, fields] = ['note', {}]] = Object.entries(content as Record<string, unknown>)
  return { kind, fields, ...common }
}
