import { graphql, type ResultOf } from '@daybook/api/graphql'
import { FAILURE } from '@daybook/client/documents/failure'
import { RefusedError } from '../cli-error.ts'
import { request } from '../client/request.ts'
import { succeeded } from '../client/result.ts'
import type { Connection } from '../settings.ts'

const QUARANTINE = graphql(`
  fragment Quarantine on Quarantine {
    id keyIds agent reason beganAt beganBy releasedAt releasedBy releaseReason memories project { id name }
  }`)

/** A quarantine, with how many memories it withholds in the project of the request. */
export type Quarantine = Omit<ResultOf<typeof QUARANTINE>, '__typename'>

const LIST = graphql(
  'query Quarantines($released: Boolean) { quarantines(released: $released) { ...Quarantine } }',
  [QUARANTINE],
)

/** The quarantines that concern the project. @param released also those that are over */
export async function readQuarantines(
  connection: Connection,
  released: boolean,
): Promise<readonly Quarantine[]> {
  return (await request(connection, LIST, { released })).quarantines
}

/** One of them, also one that is over. @throws RefusedError if there is none */
export async function readQuarantine(connection: Connection, id: string): Promise<Quarantine> {
  const found = (await readQuarantines(connection, true)).find((one) => one.id === id.toLowerCase())
  if (found === undefined)
    throw new RefusedError('NOT_FOUND', `There is no quarantine ${id} here: daybook quarantine list --all`)
  return found
}

const BEGIN = graphql(
  `mutation QuarantineWriter($key: ID, $agent: String, $reason: String!, $allProjects: Boolean) {
    begun: quarantineWriter(key: $key, agent: $agent, reason: $reason, allProjects: $allProjects) {
      __typename
      ... on QuarantineBegun { quarantine { ...Quarantine } }
      ...Failure
    }
  }`,
  [QUARANTINE, FAILURE],
)

/** Puts a writer into quarantine. @throws what `request` throws */
export async function beginQuarantine(
  connection: Connection,
  of: {
    readonly key: string | undefined
    readonly agent: string | undefined
    readonly reason: string
    readonly allProjects: boolean
  },
): Promise<Quarantine> {
  return succeeded((await request(connection, BEGIN, of)).begun).quarantine
}

const RELEASE = graphql(
  `mutation ReleaseQuarantine($id: ID!, $reason: String) {
    ended: releaseQuarantine(id: $id, reason: $reason) {
      __typename
      ... on QuarantineReleased { quarantine { ...Quarantine } }
      ...Failure
    }
  }`,
  [QUARANTINE, FAILURE],
)

/** Ends a quarantine. @throws what `request` throws */
export async function endQuarantine(
  connection: Connection,
  id: string,
  reason: string | undefined,
): Promise<Quarantine> {
  return succeeded((await request(connection, RELEASE, { id, reason })).ended).quarantine
}
