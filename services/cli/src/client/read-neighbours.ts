import { graphql, type ResultOf } from '@daybook/api/graphql'
import type { Connection } from '../settings.ts'
import { request } from './request.ts'

const NEIGHBOURS = graphql(`
  query Neighbours($id: ID!) {
    memory(id: $id) { neighbours { before { id kind title createdAt } after { id kind title createdAt } } }
  }`)

/** The memories around one in its context, nearest first. */
export type Neighbours = NonNullable<ResultOf<typeof NEIGHBOURS>['memory']>['neighbours']

/** The memories around one; none around one that is not there. @throws what `request` throws */
export const readNeighbours = async (connection: Connection, id: string): Promise<Neighbours> =>
  (await request(connection, NEIGHBOURS, { id })).memory?.neighbours ?? { before: [], after: [] }
