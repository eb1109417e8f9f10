import { graphql, type ResultOf } from '@daybook/api/graphql'
import { succeeded } from '@daybook/client/calls/calls'
import { FAILURE } from '@daybook/client/documents/failure'
import { changeOnce, read } from './client.ts'
import type { ProjectionName } from './operations.ts'

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
