import { graphql, type InputOf, type ResultOf } from '@daybook/api/graphql'
import type { Connection } from '../settings.ts'
import { request } from './request.ts'

/** As the API calls them; people write them in lower case. */
export type ProjectionName = InputOf<'ProjectionName'>

const PROJECTIONS = graphql(`
  query Projections {
    projections { name position head lag pendingEmbeddings parked generation status }
  }`)

/** How far a read model has come with the project's journal. */
export type Projection = ResultOf<typeof PROJECTIONS>['projections'][number]

export async function readProjections(connection: Connection): Promise<readonly Projection[]> {
  return (await request(connection, PROJECTIONS, {})).projections
}

/** The journal's last sequence. */
export async function readHead(connection: Connection): Promise<number> {
  return Math.max(0, ...(await readProjections(connection)).map(({ head }) => head))
}
