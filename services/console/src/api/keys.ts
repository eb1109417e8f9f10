import { type Given, graphql, type InputOf, type ResultOf } from '@daybook/api/graphql'
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
export const createKey = (input: Given<InputOf<'CreateKeyInput'>>): Promise<MadeKey> =>
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
