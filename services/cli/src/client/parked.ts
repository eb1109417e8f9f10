import type { Connection } from '../settings.ts'
import type { EventStatus } from '../tail/event.ts'
import type { ProjectionName } from './projections.ts'
import { request } from './request.ts'
import { ADMIN_ERROR_FIELDS, type Failure, succeeded } from './result.ts'

/** An event that a projection could not apply. */
export interface ParkedEvent {
  readonly projection: ProjectionName
  readonly project: string
  readonly projectId: string
  readonly sequence: number
  readonly memoryId: string
  readonly error: string
  readonly attempts: number
  readonly parkedAt: string
  /** When it was dropped; null while it waits. */
  readonly droppedAt: string | null
  /** Without a memory where the daemon cannot read it; null where it is not in the journal. */
  readonly event: {
    readonly status: EventStatus
    readonly type: string
    readonly version: number
    readonly recordedAt: string
    readonly memory: { readonly kind: string; readonly title: string } | null
  } | null
}

/** Of all projects, or one; at one sequence, or all of them, up to `first` (at most 100). */
export async function readParked(
  connection: Connection,
  projection: ProjectionName,
  { project, sequence, first = 100 }: { project?: string | undefined; sequence?: number; first?: number },
): Promise<readonly ParkedEvent[]> {
  const query = `query Parked($projection: ProjectionName!, $project: String, $sequence: Int, $first: Int) {
    parkedEvents(projection: $projection, project: $project, sequence: $sequence, first: $first) {
      projection project projectId sequence memoryId error attempts parkedAt droppedAt
      event { status type version recordedAt memory { kind title } }
    }
  }`
  const variables = { projection, project, sequence, first }
  return (await request<{ parkedEvents: readonly ParkedEvent[] }>(connection, query, variables)).parkedEvents
}

/** Has the projection pass over it for good. @param project its name or id */
export async function dropParked(
  connection: Connection,
  { projection, projectId, sequence }: Pick<ParkedEvent, 'projection' | 'projectId' | 'sequence'>,
): Promise<void> {
  const mutation = `mutation DropParked($projection: ProjectionName!, $project: String, $sequence: Int!) {
    dropParked(projection: $projection, project: $project, sequence: $sequence) { __typename ${ADMIN_ERROR_FIELDS} }
  }`
  const answer = await request<{ dropParked: { readonly __typename: 'ParkedEventDropped' } | Failure }>(
    connection,
    mutation,
    { projection, project: projectId, sequence },
  )
  succeeded(answer.dropParked)
}
