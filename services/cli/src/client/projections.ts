import { graphql, type InputOf, type ResultOf } from '@daybook/api/graphql'
import type { Connection } from '../settings.ts'
import { request } from './request.ts'

/** A projection's name in the API. People write it in lower case. */
export type ProjectionName = InputOf<'ProjectionName'>

const PROJECTIONS = graphql(`
  query Projections {
    projections { name position head lag pendingEmbeddings parked generation status }
  }`)

/** How much of the project's journal a read model has applied. */
export type Projection = ResultOf<typeof PROJECTIONS>['projections'][number]

/** Reads how far each projection is with the project of the key. */
export async function readProjections(connection: Connection): Promise<readonly Projection[]> {
  return (await request(connection, PROJECTIONS, {})).projections
}

/** Reads the journal's last sequence. */
export async function readHead(connection: Connection): Promise<number> {
  return Math.max(0, ...(await readProjections(connection)).map(({ head }) => head))
}
