import { RefusedError } from '../cli-error.ts'
import type { Connection } from '../settings.ts'
import type { ProjectionName } from './projections.ts'
import { request } from './request.ts'
import { ADMIN_ERROR_FIELDS, type Failure, succeeded } from './result.ts'

/** Long work that somebody asked for, as the API tells of it. */
export interface Operation {
  readonly id: string
  readonly type: 'REINDEX' | 'VERIFY' | 'VERIFY_JOURNAL' | 'REPLAY' | 'BACKFILL' | 'RETRY_PARKED'
  readonly projection: ProjectionName | null
  readonly options: Readonly<Record<string, unknown>>
  readonly status: 'QUEUED' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED'
  readonly phase: string
  readonly done: number
  readonly total: number | null
  readonly result: Readonly<Record<string, unknown>> | null
  readonly error: string | null
  readonly cancelRequested: boolean
  readonly requestedBy: string | null
  readonly createdAt: string
  readonly startedAt: string | null
  readonly updatedAt: string
  readonly finishedAt: string | null
}

export const OPERATION_FIELDS =
  'id type projection options status phase done total result error cancelRequested requestedBy createdAt startedAt updatedAt finishedAt'

export const hasEnded = ({ status }: Operation): boolean => status !== 'QUEUED' && status !== 'RUNNING'

/** The mutations that ask for operations, with the types of their arguments. */
const MUTATIONS = {
  reindex: {
    projection: 'ProjectionName!',
    model: 'String',
    regenerateEmbeddings: 'Boolean',
    kinds: '[MemoryKind!]',
    project: 'String',
    acceptParked: 'Boolean',
  },
  verify: { projection: 'ProjectionName!', project: 'String', incremental: 'Boolean', repair: 'Boolean' },
  verifyJournal: { project: 'String', from: 'String' },
  replay: { from: 'Int!', to: 'Int', project: 'String', projection: 'ProjectionName' },
  backfill: { projection: 'ProjectionName!', project: 'String' },
  retryParked: { projection: 'ProjectionName!', project: 'String', memoryIds: '[ID!]' },
  cancelOperation: { id: 'ID!' },
} as const

/** What is asked for: a mutation and its arguments. Undefined ones are left to the API. */
export type OperationRequest = {
  readonly [Name in keyof typeof MUTATIONS]: {
    readonly mutation: Name
    readonly arguments: { readonly [Argument in keyof (typeof MUTATIONS)[Name]]?: unknown }
  }
}[keyof typeof MUTATIONS]

/** Asks for an operation. @throws RefusedError, UnreachableError, UnauthorisedError */
export async function requestOperation(
  connection: Connection,
  { mutation, arguments: given }: OperationRequest,
): Promise<Operation> {
  const types = Object.entries<string>(MUTATIONS[mutation])
  const answer = await request<{ operation: (Operation & { readonly __typename: 'Operation' }) | Failure }>(
    connection,
    `mutation Request(${types.map(([name, type]) => `$${name}: ${type}`).join(', ')}) {
      operation: ${mutation}(${types.map(([name]) => `${name}: $${name}`).join(', ')}) {
        __typename
        ... on Operation { ${OPERATION_FIELDS} }
        ${ADMIN_ERROR_FIELDS}
      }
    }`,
    given,
  )
  const { __typename: _, ...operation } = succeeded(answer.operation)
  return operation
}

/** @throws RefusedError NOT_FOUND */
export async function readOperation(connection: Connection, id: string): Promise<Operation> {
  const query = `query Operation($id: ID!) { operation(id: $id) { ${OPERATION_FIELDS} } }`
  const { operation } = await request<{ operation: Operation | null }>(connection, query, { id })
  if (operation === null) throw new RefusedError('NOT_FOUND', `There is no operation ${id}`)
  return operation
}

/** The newest first. @param active only those that have not ended */
export async function listOperations(
  connection: Connection,
  { first = 20, active = false }: { first?: number; active?: boolean } = {},
): Promise<readonly Operation[]> {
  const query = `query Operations($first: Int, $active: Boolean) {
    operations(first: $first, active: $active) { ${OPERATION_FIELDS} }
  }`
  const { operations } = await request<{ operations: readonly Operation[] }>(connection, query, {
    first,
    active,
  })
  return operations
}
