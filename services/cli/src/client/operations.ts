import {
  type Given,
  type GraphQLDocument,
  graphql,
  type ResultOf,
  type VariablesOf,
} from '@daybook/api/graphql'
import { FAILURE } from '@daybook/client/documents/failure'
import { RefusedError } from '../cli-error.ts'
import type { Connection } from '../settings.ts'
import { request } from './request.ts'
import { succeeded } from './result.ts'

/** The fields of an operation that the CLI shows. */
export const OPERATION = graphql(`
  fragment Operation on Operation {
    id type projection options status phase done total result error cancelRequested requestedBy createdAt startedAt
    updatedAt finishedAt
  }`)

/** Long work that somebody asked for, as the API returns it. */
export type Operation = ResultOf<typeof OPERATION>

/** Whether an operation is neither queued nor running any more. */
export const hasEnded = ({ status }: Operation): boolean => status !== 'QUEUED' && status !== 'RUNNING'

const REQUESTED = graphql('fragment Requested on OperationResult { __typename ...Operation ...Failure }', [
  OPERATION,
  FAILURE,
])

/** The mutations that ask for operations. */
const MUTATIONS = {
  reindex: graphql(
    `mutation Reindex(
      $projection: ProjectionName!, $model: String, $regenerateEmbeddings: Boolean, $kinds: [MemoryKind!], $project: String,
      $acceptParked: Boolean
    ) {
      operation: reindex(
        projection: $projection, model: $model, regenerateEmbeddings: $regenerateEmbeddings, kinds: $kinds,
        project: $project, acceptParked: $acceptParked
      ) { ...Requested }
    }`,
    [REQUESTED],
  ),
  verify: graphql(
    `mutation Verify($projection: ProjectionName!, $project: String, $incremental: Boolean, $repair: Boolean) {
      operation: verify(projection: $projection, project: $project, incremental: $incremental, repair: $repair) {
        ...Requested
      }
    }`,
    [REQUESTED],
  ),
  verifyJournal: graphql(
    `mutation VerifyJournal($project: String, $from: String) {
      operation: verifyJournal(project: $project, from: $from) { ...Requested }
    }`,
    [REQUESTED],
  ),
  replay: graphql(
    `mutation Replay($from: Int!, $to: Int, $project: String, $projection: ProjectionName) {
      operation: replay(from: $from, to: $to, project: $project, projection: $projection) { ...Requested }
    }`,
    [REQUESTED],
  ),
  backfill: graphql(
    `mutation Backfill($projection: ProjectionName!, $project: String) {
      operation: backfill(projection: $projection, project: $project) { ...Requested }
    }`,
    [REQUESTED],
  ),
  retryParked: graphql(
    `mutation RetryParked($projection: ProjectionName!, $project: String, $memoryIds: [ID!]) {
      operation: retryParked(projection: $projection, project: $project, memoryIds: $memoryIds) { ...Requested }
    }`,
    [REQUESTED],
  ),
  cancelOperation: graphql(
    `mutation CancelOperation($id: ID!) {
      operation: cancelOperation(id: $id) { ...Requested }
    }`,
    [REQUESTED],
  ),
} as const

/** A mutation that asks for an operation, and its arguments. The API has defaults for undefined ones. */
export type OperationRequest = {
  readonly [Name in keyof typeof MUTATIONS]: {
    readonly mutation: Name
    readonly arguments: Given<VariablesOf<(typeof MUTATIONS)[Name]>>
  }
}[keyof typeof MUTATIONS]

/** Asks for an operation. @throws RefusedError, UnreachableError, UnauthorisedError */
export async function requestOperation(
  connection: Connection,
  { mutation, arguments: given }: OperationRequest,
): Promise<Operation> {
  // `OperationRequest` pairs each mutation with its arguments; the type checker cannot follow that here.
  const document = MUTATIONS[mutation] as GraphQLDocument<ResultOf<typeof MUTATIONS.reindex>, typeof given>
  const answer = await request(connection, document, given)
  const { __typename: _, ...operation } = succeeded(answer.operation)
  return operation
}

const READ = graphql('query Operation($id: ID!) { operation(id: $id) { ...Operation } }', [OPERATION])

/** Reads one operation. @throws RefusedError NOT_FOUND */
export async function readOperation(connection: Connection, id: string): Promise<Operation> {
  const { operation } = await request(connection, READ, { id })
  if (operation === null) throw new RefusedError('NOT_FOUND', `There is no operation ${id}`)
  return operation
}

const LIST = graphql(
  `query Operations($first: Int, $active: Boolean) {
    operations(first: $first, active: $active) { ...Operation }
  }`,
  [OPERATION],
)

/** Lists operations, the newest first. @param active only those that have not ended */
export async function listOperations(
  connection: Connection,
  { first = 20, active = false }: { first?: number; active?: boolean } = {},
): Promise<readonly Operation[]> {
  return (await request(connection, LIST, { first, active })).operations
}
