import { graphql, type ResultOf } from '@daybook/api/graphql'
import { succeeded } from '@daybook/client/calls/calls'
import { FAILURE } from '@daybook/client/documents/failure'
import { changeOnce, read } from './client.ts'

const QUARANTINE = graphql(`
  fragment Quarantine on Quarantine {
    id keyIds agent reason beganAt beganBy releasedAt releasedBy releaseReason memories project { id name }
  }`)

/** A writer in quarantine, and how many memories of the project are withheld. */
export type Quarantine = ResultOf<typeof QUARANTINE>

const LIST = graphql('query Quarantines { quarantines(released: true) { ...Quarantine } }', [QUARANTINE])

/** The project's, and those of all projects, the newest first; those that are over too. @throws DaybookClientError */
export const listQuarantines = async (signal: AbortSignal): Promise<readonly Quarantine[]> =>
  (await read(LIST, {}, { signal })).quarantines

const BEGIN = graphql(
  `mutation QuarantineWriter($key: ID, $agent: String, $reason: String!, $allProjects: Boolean!) {
    result: quarantineWriter(key: $key, agent: $agent, reason: $reason, allProjects: $allProjects) {
      __typename ... on QuarantineBegun { quarantine { ...Quarantine } } ...Failure
    }
  }`,
  [QUARANTINE, FAILURE],
)

/** Withholds all that a key or an agent wrote, and refuses what it writes. @throws DaybookClientError */
export const beginQuarantine = (of: {
  /** The id of a key; null for an agent. */
  readonly key: string | null
  readonly agent: string | null
  readonly reason: string
  readonly allProjects: boolean
}): Promise<Quarantine> => changeOnce(BEGIN, of, ({ result }) => succeeded(result).quarantine)

const RELEASE = graphql(
  `mutation ReleaseQuarantine($id: ID!, $reason: String) {
    result: releaseQuarantine(id: $id, reason: $reason) {
      __typename ... on QuarantineReleased { quarantine { ...Quarantine } } ...Failure
    }
  }`,
  [QUARANTINE, FAILURE],
)

/** Brings back what was withheld. @throws DaybookClientError */
export const releaseQuarantine = (id: string, reason: string | null): Promise<Quarantine> =>
  changeOnce(RELEASE, { id, reason }, ({ result }) => succeeded(result).quarantine)
