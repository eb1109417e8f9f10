import { startNativeServer } from '@daybook/postgres/testing/native-server'
import { ask, askIncomplete } from '../ask.ts'
import { loadMemories, untilSearchable } from '../daybook/load-memories.ts'
import { startOwnDaybook } from '../daybook/own-daybook.ts'
import { methods } from '../method.ts'
import type { Peer } from './peer.ts'

/** Daybook on a native Postgres that is started for it. @throws NoNativeServerError */
export async function nativeDaybookPeer(groups: readonly string[]): Promise<Peer> {
  const server = await startNativeServer()
  try {
    const peer = await daybookPeer(groups, server.url)
    return {
      ...peer,
      name: 'daybook-native',
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
    async open(group) {
      const place = daybook.place(group)
      let ready = false
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
          // A memory that was just written may have no vector yet, and is found by its words.
          const { found } = await (ready ? ask : askIncomplete)(place, method, { id: text, text })
          return found.slice(0, limit)
        },
        close: async () => {},
      }
    },
    close: daybook.close,
  }
}
