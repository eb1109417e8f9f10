import { graphql, type ResultOf } from '@daybook/api/graphql'
import { read } from './client.ts'

const LISTED = graphql(
  'fragment Beside on Memory { id kind title agent labels context occurredAt createdAt updatedAt trust shared }',
)

const NEIGHBOURS = graphql(
  `query Beside($id: ID!) { memory(id: $id) { neighbours { before { ...Beside } after { ...Beside } } } }`,
  [LISTED],
)

/** The memories around one in its context, nearest first. */
export type Neighbours = NonNullable<ResultOf<typeof NEIGHBOURS>['memory']>['neighbours']

const NONE: Neighbours = { before: [], after: [] }

/** The memories before and after one in its context. @throws DaybookClientError; the signal's reason */
export const readNeighbours = async (id: string, signal?: AbortSignal): Promise<Neighbours> =>
  (await read(NEIGHBOURS, { id }, { signal })).memory?.neighbours ?? NONE

const SIMILAR = graphql(
  `query SimilarTo($id: ID!) {
    similar(id: $id, topK: 6) { hits { score memory { ...Beside } } degraded message }
  }`,
  [LISTED],
)

/** The memories nearest in meaning to one. */
export type Similar = ResultOf<typeof SIMILAR>['similar']

/** The six memories nearest in meaning to one. @throws DaybookClientError; the signal's reason */
export const readSimilar = async (id: string, signal?: AbortSignal): Promise<Similar> =>
  (await read(SIMILAR, { id }, { signal })).similar
