import { graphql, type ResultOf } from '@daybook/api/graphql'
import { FAILURE } from '@daybook/client/documents/failure'
import type { Connection } from '../settings.ts'
import type { ProjectionName } from './projections.ts'
import { request } from './request.ts'
import { succeeded } from './result.ts'

const PARKED = graphql(`
  query Parked($projection: ProjectionName!, $project: String, $sequence: Int, $first: Int) {
    parkedEvents(projection: $projection, project: $project, sequence: $sequence, first: $first) {
      projection project projectId sequence memoryId error attempts parkedAt droppedAt
      event { status type version recordedAt memory { kind title } }
    }
  }`)

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

const DROP = graphql(
  `mutation DropParked($projection: ProjectionName!, $project: String, $sequence: Int!) {
    dropParked(projection: $projection, project: $project, sequence: $sequence) { __typename ...Failure }
  }`,
  [FAILURE],
)

/** Makes the projection skip a parked event for good. @param project its name or id */
export async function dropParked(
  connection: Connection,
  { projection, projectId, sequence }: Pick<ParkedEvent, 'projection' | 'projectId' | 'sequence'>,
): Promise<void> {
  succeeded((await request(connection, DROP, { projection, project: projectId, sequence })).dropParked)
}
