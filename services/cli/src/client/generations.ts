import { graphql, type ResultOf } from '@daybook/api/graphql'
import { FAILURE } from '@daybook/client/documents/failure'
import type { Connection } from '../settings.ts'
import type { ProjectionName } from './projections.ts'
import { request } from './request.ts'
import { succeeded } from './result.ts'

/** The fields of a generation that the CLI shows. */
export const GENERATION = graphql(`
  fragment Generation on Generation {
    projection generation status model createdAt retiredAt lag parked bytes
  }`)

/** One physical copy of a projection. */
export type Generation = ResultOf<typeof GENERATION>

const GENERATIONS = graphql('query Generations { generations { ...Generation } }', [GENERATION])

/** Reads all generations of all projections. */
export async function readGenerations(connection: Connection): Promise<readonly Generation[]> {
  return (await request(connection, GENERATIONS, {})).generations
}

const ROLLBACK = graphql(
  `mutation Rollback($projection: ProjectionName!) {
    rollback(projection: $projection) { __typename ...Generation ...Failure }
  }`,
  [GENERATION, FAILURE],
)

/** Makes the projection's old generation live again. @returns that generation */
export async function rollback(connection: Connection, projection: ProjectionName): Promise<Generation> {
  return succeeded((await request(connection, ROLLBACK, { projection })).rollback)
}

const DROP = graphql(
  `mutation Drop($projection: ProjectionName!, $generation: Int!) {
    dropGeneration(projection: $projection, generation: $generation) { __typename ...Failure }
  }`,
  [FAILURE],
)

/** Asks for an old generation to be deleted. The daemon does it within some seconds. */
export async function dropGeneration(
  connection: Connection,
  { projection, generation }: Pick<Generation, 'projection' | 'generation'>,
): Promise<void> {
  succeeded((await request(connection, DROP, { projection, generation })).dropGeneration)
}
