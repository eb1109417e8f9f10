import { graphql, type ResultOf } from '@daybook/api/graphql'
import { succeeded } from '@daybook/client/calls/calls'
import { FAILURE } from '@daybook/client/documents/failure'
import { changeOnce, read } from './client.ts'
import type { ProjectionName } from './operations.ts'

const GENERATION = graphql(`
  fragment Generation on Generation { projection generation status model createdAt retiredAt lag parked bytes }`)

/** One physical copy of a projection. */
export type Generation = ResultOf<typeof GENERATION>

const STATE = graphql(
  `query IndexState {
    projections { name generation position head lag pendingEmbeddings parked status }
    generations { ...Generation }
    system { projects events memories queuedTexts failedTexts }
  }`,
  [GENERATION],
)

/** How far the projections are, with the project and with all, and which texts wait for vectors. */
export type IndexState = ResultOf<typeof STATE>
/** A projection's progress with the project. */
export type Projection = IndexState['projections'][number]

/** @throws DaybookClientError FORBIDDEN for a key that does not run the whole Daybook */
export const readIndexState = (signal: AbortSignal): Promise<IndexState> => read(STATE, {}, { signal })

const ROLLBACK = graphql(
  `mutation Rollback($projection: ProjectionName!) {
    result: rollback(projection: $projection) { __typename ...Generation ...Failure }
  }`,
  [GENERATION, FAILURE],
)

/** Makes the previous generation live again, at once. @returns that one @throws DaybookClientError */
export const rollback = (projection: ProjectionName): Promise<Generation> =>
  changeOnce(ROLLBACK, { projection }, ({ result }) => succeeded(result))

const DROP = graphql(
  `mutation DropGeneration($projection: ProjectionName!, $generation: Int!) {
    result: dropGeneration(projection: $projection, generation: $generation) { __typename ...Generation ...Failure }
  }`,
  [GENERATION, FAILURE],
)

/** Deletes an old generation for good, within some seconds. @throws DaybookClientError */
export const dropGeneration = (of: Pick<Generation, 'projection' | 'generation'>): Promise<Generation> =>
  changeOnce(DROP, { projection: of.projection, generation: of.generation }, ({ result }) =>
    succeeded(result),
  )
