import { type Given, type GraphQLDocument, graphql, type InputOf, type ResultOf } from '@daybook/api/graphql'
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
  variables: Given<Variables>,
): Promise<Operation> => changeOnce(document, variables, ({ operation }) => succeeded(operation))

/** How a projection is rebuilt. */
export interface RebuildOptions {
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
