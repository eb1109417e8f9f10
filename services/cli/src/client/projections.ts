import type { Connection } from '../settings.ts'
import { request } from './request.ts'

/** As the API calls them; people write them in lower case. */
export type ProjectionName = 'PGVECTOR' | 'TYPESENSE'

/** How far a read model has come with the project's journal. */
export interface Projection {
  readonly name: string
  readonly position: number
  readonly head: number
  readonly lag: number
  readonly pendingEmbeddings: number
  readonly parked: number
  readonly generation: number
  readonly status: string
}

const QUERY = `query Projections {
  projections { name position head lag pendingEmbeddings parked generation status }
}`

export async function readProjections(connection: Connection): Promise<readonly Projection[]> {
  const { projections } = await request<{ projections: readonly Projection[] }>(connection, QUERY)
  return projections
}

/** The journal's last sequence. */
export async function readHead(connection: Connection): Promise<number> {
  return Math.max(0, ...(await readProjections(connection)).map(({ head }) => head))
}
