import { graphql, type InputOf, type ReadonlyInput, type ResultOf } from '@daybook/api/graphql'
import { succeeded } from '@daybook/client/calls/calls'
import { FAILURE } from '@daybook/client/documents/failure'
import { changeOnce, read } from './client.ts'

const KEYS = graphql(`query Keys {
  keys {
    id name prefix scopes allProjects wholeDaybook createdAt expiresAt revokedAt lastUsedAt replacedBy isValid isOwn
    trust projects { id name }
  }
}`)

/** An API key, without the key itself. */
export type ApiKey = ResultOf<typeof KEYS>['keys'][number]

/** How far a key is trusted. */
export type TrustLevel = InputOf<'TrustLevel'>

/** What a key may do. */
export type KeyScope = InputOf<'KeyScope'>

/** The keys that the session's key administers, the oldest first, with those that have ended. @throws DaybookClientError */
export const listKeys = async (signal: AbortSignal): Promise<readonly ApiKey[]> =>
  (await read(KEYS, {}, { signal })).keys

const MADE = graphql(
  `fragment Made on CreatedKeyResult {
    __typename ... on CreatedKey { id key apiKey { name } replaces { expiresAt isValid } } ...Failure
  }`,
  [FAILURE],
)

const CREATE = graphql(
  `mutation CreateKey($input: CreateKeyInput!) { made: createKey(input: $input) { ...Made } }`,
  [MADE],
)

const ROTATE = graphql(
  `mutation RotateKey($id: ID!, $graceSeconds: Int!) { made: rotateKey(id: $id, graceSeconds: $graceSeconds) { ...Made } }`,
  [MADE],
)

const made = ({ made: result }: ResultOf<typeof CREATE>) => succeeded(result)

/** A key that was just made: the only time that the key itself is known. */
export type MadeKey = ReturnType<typeof made>

/** Makes a key. @throws DaybookClientError */
export const createKey = (input: ReadonlyInput<InputOf<'CreateKeyInput'>>): Promise<MadeKey> =>
  changeOnce(CREATE, { input }, made)

/** Makes a key that may do the same. @param graceSeconds how long the old one stays valid @throws DaybookClientError */
export const rotateKey = (id: string, graceSeconds: number): Promise<MadeKey> =>
  changeOnce(ROTATE, { id, graceSeconds }, made)

const REVOKE = graphql(
  `mutation RevokeKey($id: ID!) { result: revokeKey(id: $id) { __typename ... on RevokedKey { id } ...Failure } }`,
  [FAILURE],
)

/** Ends a key for good. @throws DaybookClientError */
export const revokeKey = async (id: string): Promise<void> => {
  await changeOnce(REVOKE, { id }, ({ result }) => succeeded(result))
}

const TRUST = graphql(
  `mutation SetKeyTrust($id: ID!, $trust: TrustLevel!) {
    result: setKeyTrust(id: $id, trust: $trust) { __typename ... on TrustedKey { id } ...Failure }
  }`,
  [FAILURE],
)

/** Says how far a key is trusted, for all that it ever wrote. @throws DaybookClientError */
export const setKeyTrust = async (id: string, trust: TrustLevel): Promise<void> => {
  await changeOnce(TRUST, { id, trust }, ({ result }) => succeeded(result))
}

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
