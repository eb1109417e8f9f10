import {
  type GraphQLDocument,
  graphql,
  type InputOf,
  type ReadonlyInput,
  type ResultOf,
  type VariablesOf,
} from '@daybook/api/graphql'
import * as mutations from '@daybook/api/mutations'
import * as queries from '@daybook/api/queries'
import { RefusedError } from '../command-line.ts'
import type { Connection } from '../settings.ts'
import { request, succeeded } from './request.ts'

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

/** The mutations that ask for operations. */
const MUTATIONS = {
  reindex: mutations.reindex('...Operation', [OPERATION]),
  verify: mutations.verify('...Operation', [OPERATION]),
  verifyJournal: mutations.verifyJournal('...Operation', [OPERATION]),
  replay: mutations.replay('...Operation', [OPERATION]),
  backfill: mutations.backfill('...Operation', [OPERATION]),
  retryParked: mutations.retryParked('...Operation', [OPERATION]),
  cancelOperation: mutations.cancelOperation('...Operation', [OPERATION]),
} as const

/** A mutation that asks for an operation, and its arguments. The API has defaults for undefined ones. */
export type OperationRequest = {
  readonly [Name in keyof typeof MUTATIONS]: {
    readonly mutation: Name
    readonly arguments: ReadonlyInput<VariablesOf<(typeof MUTATIONS)[Name]>>
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
  const { __typename: _, ...operation } = succeeded(answer.result)
  return operation
}

const READ = queries.operation('...Operation', [OPERATION])

/** Reads one operation. @throws RefusedError NOT_FOUND */
export async function readOperation(connection: Connection, id: string): Promise<Operation> {
  const { operation } = await request(connection, READ, { id })
  if (operation === null) throw new RefusedError('NOT_FOUND', `There is no operation ${id}`)
  return operation
}

const LIST = queries.operations('...Operation', [OPERATION])

/** Lists operations, the newest first. @param active only those that have not ended */
export async function listOperations(
  connection: Connection,
  { first = 20, active = false }: { first?: number; active?: boolean } = {},
): Promise<readonly Operation[]> {
  return (await request(connection, LIST, { first, active })).operations
}

/** The fields of a generation that the CLI shows. */
const GENERATION = graphql(`
  fragment Generation on Generation {
    projection generation status model createdAt retiredAt lag parked bytes
  }`)

/** One physical copy of a projection. */
export type Generation = ResultOf<typeof GENERATION>

const GENERATIONS = queries.generations('...Generation', [GENERATION])

/** Reads all generations of all projections. */
export async function readGenerations(connection: Connection): Promise<readonly Generation[]> {
  return (await request(connection, GENERATIONS, {})).generations
}

const ROLLBACK = mutations.rollback('...Generation', [GENERATION])

/** Makes the projection's old generation live again. @returns that generation */
export async function rollback(connection: Connection, projection: ProjectionName): Promise<Generation> {
  return succeeded((await request(connection, ROLLBACK, { projection })).result)
}

const DROP = mutations.dropGeneration('__typename')

/** Asks for an old generation to be deleted. The daemon does it within some seconds. */
export async function dropGeneration(
  connection: Connection,
  { projection, generation }: Pick<Generation, 'projection' | 'generation'>,
): Promise<void> {
  succeeded((await request(connection, DROP, { projection, generation })).result)
}

/** A projection's name in the API. People write it in lower case. */
export type ProjectionName = InputOf<'ProjectionName'>

const PROJECTIONS = queries.projections('name position head lag pendingEmbeddings parked generation status')

/** How much of the project's journal a read model has applied. */
export type Projection = ResultOf<typeof PROJECTIONS>['projections'][number]

/** Reads how far each projection is with the project of the key. */
export async function readProjections(connection: Connection): Promise<readonly Projection[]> {
  return (await request(connection, PROJECTIONS, {})).projections
}

/** Reads the journal's last sequence. */
export async function readHead(connection: Connection): Promise<number> {
  return Math.max(0, ...(await readProjections(connection)).map(({ head }) => head))
}

const SYSTEM = graphql(
  `query System {
    system {
      projects events memories databaseBytes queuedTexts failedTexts
      parts { name configured reachable version problem }
    }
    generations { ...Generation }
    operations(active: true) { ...Operation }
  }`,
  [GENERATION, OPERATION],
)

/** A Daybook as a whole, over all projects, with the operations under way. */
export type SystemState = ResultOf<typeof SYSTEM>

/** A part that Daybook works with, such as its database. */
export type SystemPart = SystemState['system']['parts'][number]

/** Reads the state of the whole Daybook. @returns null for a key that may see its own project only */
export async function readSystem(connection: Connection): Promise<SystemState | null> {
  try {
    return await request(connection, SYSTEM, {})
  } catch (error) {
    if (error instanceof RefusedError && error.code === 'FORBIDDEN') return null
    throw error
  }
}

const PARKED = queries.parkedEvents(`
  projection project projectId sequence memoryId error attempts parkedAt droppedAt
  event { status type version recordedAt memory { kind title } }`)

/** An event that a projection could not apply. */
export type ParkedEvent = ResultOf<typeof PARKED>['parkedEvents'][number]

/** Reads up to `first` (at most 100) parked events: of all projects or one, at all sequences or one. */
export async function readParked(
  connection: Connection,
  projection: ProjectionName,
  { project, sequence, first = 100 }: { project?: string | undefined; sequence?: number; first?: number },
): Promise<readonly ParkedEvent[]> {
  return (await request(connection, PARKED, { projection, project, sequence, first })).parkedEvents
}

const DROP_PARKED = mutations.dropParked('__typename')

/** Makes the projection skip a parked event for good. @param project its name or id */
export async function dropParked(
  connection: Connection,
  { projection, projectId, sequence }: Pick<ParkedEvent, 'projection' | 'projectId' | 'sequence'>,
): Promise<void> {
  succeeded((await request(connection, DROP_PARKED, { projection, project: projectId, sequence })).result)
}
