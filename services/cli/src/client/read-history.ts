import { graphql, type ResultOf } from '@daybook/api/graphql'
import type { Connection } from '../settings.ts'
import { request } from './request.ts'

/** The query for a memory's history. */
const HISTORY = graphql(`
  query History($id: ID!, $after: String) {
    memory(id: $id) {
      history(first: 100, after: $after) {
        edges { node { sequence type version changed actor recordedAt
          writer { keyId agent client trust } memory { text } } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }`)

type History = NonNullable<ResultOf<typeof HISTORY>['memory']>['history']

/** An event of a memory's history. */
export type HistoryEvent = History['edges'][number]['node']

/** All events of a memory, the oldest first; null if there is no such memory. @throws what `request` throws */
export async function readHistory(connection: Connection, id: string): Promise<HistoryEvent[] | null> {
  const events: HistoryEvent[] = []
  let after: string | null = null
  do {
    const page: ResultOf<typeof HISTORY> = await request(connection, HISTORY, { id, after })
    if (page.memory === null) return null
    const { edges, pageInfo } = page.memory.history
    events.push(...edges.map(({ node }) => node))
    after = pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null
  } while (after !== null)
  return events
}
