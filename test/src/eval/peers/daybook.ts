import { connectMcp } from '@daybook/gateway/testing/mcp-client'
import { folderOf } from '@daybook/postgres/testing/failover-pair'
import { startNativeServer } from '@daybook/postgres/testing/native-server'
import { dataOf } from '../../support/graphql.ts'
import { askIncomplete } from '../ask.ts'
import type { Place } from '../daybook/evaluated-daybook.ts'
import { ID_IN_METADATA, loadMemories, untilSearchable } from '../daybook/load-memories.ts'
import { startOwnDaybook } from '../daybook/own-daybook.ts'
import { methods } from '../method.ts'
import { type Peer, PeerFailed } from './peer.ts'

/** Daybook on a native Postgres that is started for it. @throws NoNativeServerError */
export async function nativeDaybookPeer(groups: readonly string[]): Promise<Peer> {
  const server = await startNativeServer()
  try {
    const peer = await daybookPeer(groups, server.url)
    return {
      ...peer,
      name: 'daybook-native',
      folders: [folderOf(server)],
      async restart() {
        await server.start()
        await peer.restart?.()
      },
      async close() {
        await peer.close()
        await server.stop()
      },
    }
  } catch (error) {
    await server.stop()
    throw error
  }
}

/**
 * Daybook itself, at the API's default settings, over GraphQL: a daemon of its own with a project for each
 * group.
 * @param databaseUrl default the embedded database, or `DATABASE_URL`
 */
export async function daybookPeer(groups: readonly string[], databaseUrl?: string): Promise<Peer> {
  const daybook = await startOwnDaybook({ groups, embedder: 'minilm', databaseUrl })
  const [method] = methods({ modes: [], engines: [], rankings: [] })
  if (method === undefined) throw new Error('there is no default method')
  return {
    name: 'daybook',
    folders: [daybook.dataDir],
    restart: daybook.restart,
    async open(group) {
      const place = daybook.place(group)
      let ready = false
      let client: Awaited<ReturnType<typeof connectMcp>> | undefined
      return {
        async store(memories) {
          ready = false
          await loadMemories(place, { name: group, memories, questions: [] })
        },
        async settled() {
          await untilSearchable(place, true, () => {})
          ready = true
        },
        async search(text, limit) {
          // A memory that was just written may have no vector yet, and is found by its words. So are all if the model knows no word.
          const { found, degraded } = await askIncomplete(place, method, { id: text, text })
          const missing = degraded.filter((reason) => !reason.includes('knows none of the words'))
          if (ready && missing.length > 0)
            throw new PeerFailed(`the answer to "${text}" is not complete: ${missing.join('; ')}`)
          return found.slice(0, limit)
        },
        async remove(evaluated) {
          const known = (await listed(place)).find((one) => one.evaluated === evaluated)
          const document = 'mutation ($id: ID!) { forget(id: $id) { __typename } }'
          dataOf(await place.ask({ query: document, variables: { id: known?.id } }))
        },
        ids: async () => (await listed(place)).map(({ evaluated }) => evaluated),
        async answerBytes(query, limit) {
          const { url, apiKey } = place.address()
          client ??= await connectMcp(url, apiKey, { name: 'daybook-eval' })
          const { content } = await client.callTool({ name: 'search', arguments: { query, limit } })
          return content.reduce((sum, part) => sum + Buffer.byteLength('text' in part ? part.text : ''), 0)
        },
        close: async () => client?.close(),
      }
    },
    close: daybook.close,
  }
}

interface Page {
  readonly memories: {
    readonly edges: readonly {
      readonly node: { readonly id: string; readonly metadata: Readonly<Record<string, unknown>> }
    }[]
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  }
}

const LIST = `query ($after: String) {
  memories(first: 100, after: $after) { edges { node { id metadata } } pageInfo { hasNextPage endCursor } }
}`

/** All memories of a project, with their ids in the collection. */
async function listed(place: Place): Promise<{ id: string; evaluated: string }[]> {
  const found: { id: string; evaluated: string }[] = []
  for (let after: string | null = null; ; ) {
    const { memories }: Page = dataOf(await place.ask<Page>({ query: LIST, variables: { after } }))
    for (const {
      node: { id, metadata },
    } of memories.edges)
      found.push({ id, evaluated: String(metadata[ID_IN_METADATA]) })
    if (!memories.pageInfo.hasNextPage) return found
    after = memories.pageInfo.endCursor
  }
}
