import { type Given, graphql, type ResultOf, type VariablesOf } from '@daybook/api/graphql'
import { read } from './client.ts'
import { COUNTS } from './counts.ts'

const NEWEST = graphql(
  `query Newest($filter: MemoryFilter, $first: Int, $asOf: DateTime) {
    memories(filter: $filter, first: $first, asOf: $asOf) {
      nodes: edges { node { id kind title agent labels context occurredAt createdAt updatedAt trust shared } }
    }
    counts: facets(filter: $filter, values: 12, asOf: $asOf) { ...Counts }
  }`,
  [COUNTS],
)

type Answer = ResultOf<typeof NEWEST>

/** A memory in a list. */
export type ListedMemory = Answer['memories']['nodes'][number]['node']

/** The newest memories, and how many there are. */
export interface Newest {
  readonly memories: readonly ListedMemory[]
  readonly counts: Answer['counts']
}

/** The newest memories that match, and the counts of all that match. @throws DaybookClientError; the signal's reason */
export async function readNewest(
  request: Given<VariablesOf<typeof NEWEST>>,
  signal?: AbortSignal,
): Promise<Newest> {
  const { memories, counts } = await read(NEWEST, request, { signal })
  return { memories: memories.nodes.map(({ node }) => node), counts }
}
