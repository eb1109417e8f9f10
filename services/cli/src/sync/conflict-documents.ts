import { graphql, type ResultOf } from '@daybook/api/graphql'
import { FAILURE } from '@daybook/client/documents/failure'
import { request } from '../client/request.ts'
import type { Connection } from '../settings.ts'
import { settled } from './settled.ts'

const CONFLICT = graphql(`
  fragment Conflict on SyncConflict {
    id memory { id title version } command code problem baseVersion homeVersion actor givenAt foundAt resolution resolvedAt
    resolvedBy
  }`)

/** A change made offline that the home refused, or that was about another version. */
export type Conflict = Omit<ResultOf<typeof CONFLICT>, '__typename'>

const LIST = graphql(
  `query SyncConflicts($first: Int, $after: ID, $resolved: Boolean) {
    syncConflicts(first: $first, after: $after, resolved: $resolved) { ...Conflict }
  }`,
  [CONFLICT],
)

/** Which conflicts are listed. */
export interface ConflictPage {
  /** At most so many, from 1 to 100. */
  readonly first: number
  /** The id of the last one of the page before. */
  readonly after?: string | undefined
  /** Also those that are resolved. */
  readonly resolved?: boolean
}

/** Conflicts of the connection's project, the oldest first. */
export async function readConflicts(
  connection: Connection,
  page: ConflictPage,
): Promise<readonly Conflict[]> {
  return (await request(connection, LIST, page)).syncConflicts
}

const RESOLVE = graphql(
  `mutation ResolveSyncConflict($id: ID!, $resolution: ConflictResolution!) {
    resolved: resolveSyncConflict(id: $id, resolution: $resolution) {
      __typename ... on SyncConflict { ...Conflict } ...Failure
    }
  }`,
  [CONFLICT, FAILURE],
)

/** Has the change made on top of the other one (`MINE`), or leaves it out. @throws RefusedError NOT_FOUND */
export async function resolveConflict(
  connection: Connection,
  id: string,
  resolution: 'MINE' | 'THEIRS',
): Promise<Conflict> {
  const { __typename: _, ...conflict } = settled(
    (await request(connection, RESOLVE, { id, resolution })).resolved,
  )
  return conflict
}
