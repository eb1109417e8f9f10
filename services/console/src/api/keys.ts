import type { Failure } from '@daybook/api/failure'
import { graphql, type InputOf, type ReadonlyInput, type ResultOf } from '@daybook/api/graphql'
import * as mutations from '@daybook/api/mutations'
import * as queries from '@daybook/api/queries'
import { changeOnce, read } from './client.ts'

const KEYS = queries.keys(`
  id name prefix scopes allProjects wholeDaybook createdAt expiresAt revokedAt lastUsedAt replacedBy isValid isOwn
  trust projects { id name }`)

/** An API key, without the key itself. */
export type ApiKey = ResultOf<typeof KEYS>['keys'][number]

/** How far a key is trusted. */
export type TrustLevel = InputOf<'TrustLevel'>

/** What a key may do. */
export type KeyScope = InputOf<'KeyScope'>

/** The keys that the session's key administers, the oldest first, with those that have ended. @throws DaybookClientError */
export const listKeys = async (signal: AbortSignal): Promise<readonly ApiKey[]> =>
  (await read(KEYS, {}, { signal })).keys

const MADE = 'id key apiKey { name } replaces { expiresAt isValid }'
const CREATE = mutations.createKey(MADE)
const ROTATE = mutations.rotateKey(MADE)

/** A key that was just made: the only time that the key itself is known. */
export type MadeKey = Exclude<ResultOf<typeof CREATE>['result'], Failure>

/** Makes a key. @throws DaybookClientError */
export const createKey = (input: ReadonlyInput<InputOf<'CreateKeyInput'>>): Promise<MadeKey> =>
  changeOnce(CREATE, { input })

/** Makes a key that may do the same. @param graceSeconds how long the old one stays valid @throws DaybookClientError */
export const rotateKey = (id: string, graceSeconds: number): Promise<MadeKey> =>
  changeOnce(ROTATE, { id, graceSeconds })

const REVOKE = mutations.revokeKey('id')

/** Ends a key for good. @throws DaybookClientError */
export const revokeKey = async (id: string): Promise<void> => {
  await changeOnce(REVOKE, { id })
}

const TRUST = mutations.setKeyTrust('id')

/** Says how far a key is trusted, for all that it ever wrote. @throws DaybookClientError */
export const setKeyTrust = async (id: string, trust: TrustLevel): Promise<void> => {
  await changeOnce(TRUST, { id, trust })
}

const QUARANTINE = graphql(`
  fragment Quarantine on Quarantine {
    id keyIds agent reason beganAt beganBy releasedAt releasedBy releaseReason memories project { id name }
  }`)

/** A writer in quarantine, and how many memories of the project are withheld. */
export type Quarantine = ResultOf<typeof QUARANTINE>

const LIST = queries.quarantines('...Quarantine', [QUARANTINE])

/** The project's, and those of all projects, the newest first; those that are over too. @throws DaybookClientError */
export const listQuarantines = async (signal: AbortSignal): Promise<readonly Quarantine[]> =>
  (await read(LIST, { released: true }, { signal })).quarantines

const BEGIN = mutations.quarantineWriter('quarantine { ...Quarantine }', [QUARANTINE])

/** Withholds all that a key or an agent wrote, and refuses what it writes. @throws DaybookClientError */
export const beginQuarantine = (of: {
  /** The id of a key; null for an agent. */
  readonly key: string | null
  readonly agent: string | null
  readonly reason: string
  readonly allProjects: boolean
}): Promise<Quarantine> => changeOnce(BEGIN, of).then(({ quarantine }) => quarantine)

const RELEASE = mutations.releaseQuarantine('quarantine { ...Quarantine }', [QUARANTINE])

/** Brings back what was withheld. @throws DaybookClientError */
export const releaseQuarantine = (id: string, reason: string | null): Promise<Quarantine> =>
  changeOnce(RELEASE, { id, reason }).then(({ quarantine }) => quarantine)
