import type { Connection } from '../settings.ts'
import type { ProjectionName } from './projections.ts'
import { request } from './request.ts'
import { ADMIN_ERROR_FIELDS, type Failure, succeeded } from './result.ts'

/** One physical copy of a projection. */
export interface Generation {
  readonly projection: ProjectionName
  readonly generation: number
  readonly status: 'BUILDING' | 'FOLLOWING' | 'LIVE' | 'OLD' | 'DROPPING'
  readonly model: string
  readonly createdAt: string
  readonly retiredAt: string | null
  /** Events of all projects that it has not applied. */
  readonly lag: number
  readonly parked: number
  /** Null of one that is not in the database. */
  readonly bytes: number | null
}

export const GENERATION_FIELDS = 'projection generation status model createdAt retiredAt lag parked bytes'

export async function readGenerations(connection: Connection): Promise<readonly Generation[]> {
  const query = `query Generations { generations { ${GENERATION_FIELDS} } }`
  return (await request<{ generations: readonly Generation[] }>(connection, query)).generations
}

type Result = (Generation & { readonly __typename: 'Generation' }) | Failure

/** Makes the projection's old generation live again. @returns it */
export async function rollback(connection: Connection, projection: ProjectionName): Promise<Generation> {
  const mutation = `mutation Rollback($projection: ProjectionName!) {
    rollback(projection: $projection) { __typename ... on Generation { ${GENERATION_FIELDS} } ${ADMIN_ERROR_FIELDS} }
  }`
  const answer = await request<{ rollback: Result }>(connection, mutation, { projection })
  return succeeded(answer.rollback)
}

/** Has an old generation deleted, which takes some seconds from now. */
export async function dropGeneration(
  connection: Connection,
  { projection, generation }: Pick<Generation, 'projection' | 'generation'>,
): Promise<void> {
  const mutation = `mutation Drop($projection: ProjectionName!, $generation: Int!) {
    dropGeneration(projection: $projection, generation: $generation) { __typename ${ADMIN_ERROR_FIELDS} }
  }`
  const variables = { projection, generation }
  succeeded((await request<{ dropGeneration: Result }>(connection, mutation, variables)).dropGeneration)
}
