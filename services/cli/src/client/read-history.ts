import type { ResultOf } from '@daybook/api/graphql'
import * as queries from '@daybook/api/queries'
import { HISTORY, type HistoryEvent } from '@daybook/client/documents/memory'
import type { Connection } from '../settings.ts'
import { request } from './request.ts'

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

const NEIGHBOURS = queries.memory(
  'neighbours { before { id kind title createdAt } after { id kind title createdAt } }',
)

/** The memories around one in its context, nearest first. */
export type Neighbours = NonNullable<ResultOf<typeof NEIGHBOURS>['memory']>['neighbours']

/** The memories around one; none around one that is not there. @throws what `request` throws */
export const readNeighbours = async (connection: Connection, id: string): Promise<Neighbours> =>
  (await request(connection, NEIGHBOURS, { id })).memory?.neighbours ?? { before: [], after: [] }
