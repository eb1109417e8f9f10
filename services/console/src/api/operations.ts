import { graphql, type InputOf, type ResultOf } from '@daybook/api/graphql'
import * as mutations from '@daybook/api/mutations'
import * as queries from '@daybook/api/queries'
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

const LIST = queries.operations('...Operation', [OPERATION])

/** Operations, the newest first. @param first how many, at most 100 @throws DaybookClientError */
export const listOperations = async (first: number, signal?: AbortSignal): Promise<readonly Operation[]> =>
  (await read(LIST, { first }, { signal })).operations

/** Those that are queued or under way, at most 100. They have no results, so this is little. @throws DaybookClientError */
export const listActive = async (signal?: AbortSignal): Promise<readonly Operation[]> =>
  (await read(LIST, { first: 100, active: true }, { signal })).operations

const REBUILD = mutations.reindex('...Operation', [OPERATION])
const VERIFY = mutations.verify('...Operation', [OPERATION])
const VERIFY_JOURNAL = mutations.verifyJournal('...Operation', [OPERATION])
const BACKFILL = mutations.backfill('...Operation', [OPERATION])
const RETRY_PARKED = mutations.retryParked('...Operation', [OPERATION])
const CANCEL = mutations.cancelOperation('...Operation', [OPERATION])

/** How a projection is rebuilt. */
interface RebuildOptions {
  readonly projection: ProjectionName
  /** Name of an embedding model; null for that of the live generation. */
  readonly model: string | null
  readonly regenerateEmbeddings: boolean
  readonly acceptParked: boolean
}

/** Asks for a new generation, which is swapped in. @throws DaybookClientError */
export const rebuild = (options: RebuildOptions): Promise<Operation> => changeOnce(REBUILD, { ...options })

/** Asks for a comparison with the journal. @param repair whether to rewrite what differs @throws DaybookClientError */
export const verify = (projection: ProjectionName, repair: boolean): Promise<Operation> =>
  changeOnce(VERIFY, { projection, repair })

/** Asks for a check of the chain of hashes, of all journals. @throws DaybookClientError */
export const verifyJournal = (): Promise<Operation> => changeOnce(VERIFY_JOURNAL, {})

/** Asks for the vectors that memories lack. @throws DaybookClientError */
export const backfill = (projection: ProjectionName): Promise<Operation> =>
  changeOnce(BACKFILL, { projection })

/** Asks for another try with parked events: of one memory, or all. @throws DaybookClientError */
export const retryParked = (of: {
  readonly projection: ProjectionName
  readonly project?: string
  readonly memoryIds?: readonly string[]
}): Promise<Operation> => changeOnce(RETRY_PARKED, { ...of, memoryIds: of.memoryIds && [...of.memoryIds] })

/** Asks an operation to end and clean up. @throws DaybookClientError */
export const cancel = (id: string): Promise<Operation> => changeOnce(CANCEL, { id })

const CHECKS = queries.checks('name status message advice')

/** What was found of one thing that the gateway needs. */
export type Check = ResultOf<typeof CHECKS>['checks'][number]

/** Checks everything, as `daybook doctor` does. It takes some seconds if something does not move. @throws DaybookClientError */
export const runChecks = async (signal: AbortSignal): Promise<readonly Check[]> =>
  (await read(CHECKS, {}, { signal })).checks

const PARKED = queries.parkedEvents(`
  projection generation projectId project sequence memoryId error attempts parkedAt droppedAt
  event { type version memory { kind title } }`)

/** An event that a projection could not apply. */
export type ParkedEvent = ResultOf<typeof PARKED>['parkedEvents'][number]

/** The first 100 of a projection's live generation, of all projects. @throws DaybookClientError */
export const listParked = async (projection: ProjectionName, signal: AbortSignal): Promise<ParkedEvent[]> =>
  (await read(PARKED, { projection, first: 100 }, { signal })).parkedEvents

const DROP = mutations.dropParked('sequence')

/** Skips an event for good in that generation. @throws DaybookClientError */
export const dropParked = async ({ projection, projectId, sequence }: ParkedEvent): Promise<void> => {
  await changeOnce(DROP, { projection, project: projectId, sequence })
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

const ROLLBACK = mutations.rollback('...Generation', [GENERATION])

/** Makes the previous generation live again, at once. @returns that one @throws DaybookClientError */
export const rollback = (projection: ProjectionName): Promise<Generation> =>
  changeOnce(ROLLBACK, { projection })

const DROP_GENERATIONS = mutations.dropGeneration('...Generation', [GENERATION])

/** Deletes an old generation for good, within some seconds. @throws DaybookClientError */
export const dropGeneration = (of: Pick<Generation, 'projection' | 'generation'>): Promise<Generation> =>
  changeOnce(DROP_GENERATIONS, { projection: of.projection, generation: of.generation })
