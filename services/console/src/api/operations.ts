import {
  type GraphQLDocument,
  graphql,
  type InputOf,
  type ReadonlyInput,
  type ResultOf,
} from '@daybook/api/graphql'
import { succeeded } from '@daybook/client/calls/calls'
import { FAILURE } from '@daybook/client/documents/failure'
import { changeOnce, read } from './client.ts'

const OPERATION = graphql(`
  fragment Operation on Operation {
    id type projection options status phase done total result error cancelRequested requestedBy createdAt startedAt
    updatedAt finishedAt
  }`)

/** Long work that somebody asked for. */
export type Operation = ResultOf<typeof OPERATION>

/** The projections that there can be. */
export type ProjectionName = InputOf<'ProjectionName'>

/** Whether nobody works on it any more. */
export const hasEnded = ({ status }: Operation): boolean => status !== 'QUEUED' && status !== 'RUNNING'

const LIST = graphql(
  `query Operations($first: Int, $active: Boolean) { operations(first: $first, active: $active) { ...Operation } }`,
  [OPERATION],
)

/** Operations, the newest first. @param first how many, at most 100 @throws DaybookClientError */
export const listOperations = async (first: number, signal?: AbortSignal): Promise<readonly Operation[]> =>
  (await read(LIST, { first }, { signal })).operations

/** Those that are queued or under way, at most 100. They have no results, so this is little. @throws DaybookClientError */
export const listActive = async (signal?: AbortSignal): Promise<readonly Operation[]> =>
  (await read(LIST, { first: 100, active: true }, { signal })).operations

const REQUESTED = graphql('fragment Requested on OperationResult { __typename ...Operation ...Failure }', [
  OPERATION,
  FAILURE,
])

const REBUILD = graphql(
  `mutation Rebuild($projection: ProjectionName!, $model: String, $regenerateEmbeddings: Boolean, $acceptParked: Boolean) {
    operation: reindex(
      projection: $projection, model: $model, regenerateEmbeddings: $regenerateEmbeddings, acceptParked: $acceptParked
    ) { ...Requested }
  }`,
  [REQUESTED],
)

const VERIFY = graphql(
  `mutation Verify($projection: ProjectionName!, $repair: Boolean) {
    operation: verify(projection: $projection, repair: $repair) { ...Requested }
  }`,
  [REQUESTED],
)

const VERIFY_JOURNAL = graphql(`mutation VerifyJournal { operation: verifyJournal { ...Requested } }`, [
  REQUESTED,
])

const BACKFILL = graphql(
  `mutation Backfill($projection: ProjectionName!) { operation: backfill(projection: $projection) { ...Requested } }`,
  [REQUESTED],
)

const RETRY_PARKED = graphql(
  `mutation RetryParked($projection: ProjectionName!, $project: String, $memoryIds: [ID!]) {
    operation: retryParked(projection: $projection, project: $project, memoryIds: $memoryIds) { ...Requested }
  }`,
  [REQUESTED],
)

const CANCEL = graphql(
  `mutation CancelOperation($id: ID!) { operation: cancelOperation(id: $id) { ...Requested } }`,
  [REQUESTED],
)

type Answer = ResultOf<typeof CANCEL>

/** @throws DaybookClientError BUSY while another operation is at work there */
const request = <Variables>(
  document: GraphQLDocument<Answer, Variables>,
  variables: ReadonlyInput<Variables>,
): Promise<Operation> => changeOnce(document, variables, ({ operation }) => succeeded(operation))

/** How a projection is rebuilt. */
interface RebuildOptions {
  readonly projection: ProjectionName
  /** Name of an embedding model; null for that of the live generation. */
  readonly model: string | null
  readonly regenerateEmbeddings: boolean
  readonly acceptParked: boolean
}

/** Asks for a new generation, which is swapped in. @throws DaybookClientError */
export const rebuild = (options: RebuildOptions): Promise<Operation> => request(REBUILD, { ...options })

/** Asks for a comparison with the journal. @param repair whether to rewrite what differs @throws DaybookClientError */
export const verify = (projection: ProjectionName, repair: boolean): Promise<Operation> =>
  request(VERIFY, { projection, repair })

/** Asks for a check of the chain of hashes, of all journals. @throws DaybookClientError */
export const verifyJournal = (): Promise<Operation> => request(VERIFY_JOURNAL, {})

/** Asks for the vectors that memories lack. @throws DaybookClientError */
export const backfill = (projection: ProjectionName): Promise<Operation> => request(BACKFILL, { projection })

/** Asks for another try with parked events: of one memory, or all. @throws DaybookClientError */
export const retryParked = (of: {
  readonly projection: ProjectionName
  readonly project?: string
  readonly memoryIds?: readonly string[]
}): Promise<Operation> => request(RETRY_PARKED, { ...of, memoryIds: of.memoryIds && [...of.memoryIds] })

/** Asks an operation to end and clean up. @throws DaybookClientError */
export const cancel = (id: string): Promise<Operation> => request(CANCEL, { id })

const CHECKS = graphql('query Checks { checks { name status message advice } }')

/** What was found of one thing that the gateway needs. */
export type Check = ResultOf<typeof CHECKS>['checks'][number]

/** Checks everything, as `daybook doctor` does. It takes some seconds if something does not move. @throws DaybookClientError */
export const runChecks = async (signal: AbortSignal): Promise<readonly Check[]> =>
  (await read(CHECKS, {}, { signal })).checks

const PARKED = graphql(`query Parked($projection: ProjectionName!) {
  parkedEvents(projection: $projection, first: 100) {
    projection generation projectId project sequence memoryId error attempts parkedAt droppedAt
    event { type version memory { kind title } }
  }
}`)

/** An event that a projection could not apply. */
export type ParkedEvent = ResultOf<typeof PARKED>['parkedEvents'][number]

/** The first 100 of a projection's live generation, of all projects. @throws DaybookClientError */
export const listParked = async (projection: ProjectionName, signal: AbortSignal): Promise<ParkedEvent[]> =>
  (await read(PARKED, { projection }, { signal })).parkedEvents

const DROP = graphql(
  `mutation DropParked($projection: ProjectionName!, $project: String!, $sequence: Int!) {
    result: dropParked(projection: $projection, project: $project, sequence: $sequence) {
      __typename ... on ParkedEventDropped { sequence } ...Failure
    }
  }`,
  [FAILURE],
)

/** Skips an event for good in that generation. @throws DaybookClientError */
export const dropParked = async ({ projection, projectId, sequence }: ParkedEvent): Promise<void> => {
  await changeOnce(DROP, { projection, project: projectId, sequence }, ({ result }) => succeeded(result))
}

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

const DROP_GENERATIONS = graphql(
  `mutation DropGeneration($projection: ProjectionName!, $generation: Int!) {
    result: dropGeneration(projection: $projection, generation: $generation) { __typename ...Generation ...Failure }
  }`,
  [GENERATION, FAILURE],
)

/** Deletes an old generation for good, within some seconds. @throws DaybookClientError */
export const dropGeneration = (of: Pick<Generation, 'projection' | 'generation'>): Promise<Generation> =>
  changeOnce(DROP_GENERATIONS, { projection: of.projection, generation: of.generation }, ({ result }) =>
    succeeded(result),
  )
