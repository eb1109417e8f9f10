import { createHmac, randomBytes } from 'node:crypto'
import { RequestFailure } from './reply.ts'
import type { ApiKey, Store } from './store.ts'

/** What a request may see. A scoped key adds parameters to each search. */
export interface Permission {
  readonly embedded: Readonly<Record<string, unknown>>
}

/** The expiry by which the real server means "never", in seconds since 1970. */
const NEVER = 64_723_363_199

/** Creates an API key. */
export function createKey(store: Store, given: Record<string, unknown>): ApiKey {
  const key: ApiKey = {
    actions: (given.actions as string[] | undefined) ?? [],
    autodelete: given.autodelete === true,
    collections: (given.collections as string[] | undefined) ?? [],
    description: String(given.description ?? ''),
    expires_at: Number(given.expires_at ?? NEVER),
    id: store.keys.length,
    value: String(given.value ?? randomBytes(16).toString('hex')),
  }
  store.keys.push(key)
  return key
}

/** Checks an API key. @throws RequestFailure 401 if the key does not allow this action on this collection */
export function authorise(
  store: Store,
  adminKey: string,
  given: string,
  action: string,
  collection: string,
): Permission {
  if (given === adminKey) return { embedded: {} }
  const allows = (key: ApiKey) =>
    matches(key.actions, action) && matches(key.collections, collection) && key.expires_at * 1000 > Date.now()
  if (store.keys.some((key) => key.value === given && allows(key))) return { embedded: {} }
  const embedded = action === 'documents:search' ? scoped(store.keys.filter(allows), given) : null
  if (embedded === null)
    throw new RequestFailure(401, 'Forbidden - a valid `x-typesense-api-key` header must be sent.')
  return { embedded }
}

const matches = (patterns: readonly string[], value: string) =>
  patterns.some(
    (pattern) => pattern === '*' || new RegExp(`^(?:${pattern.replaceAll(':*', ':.*')})$`).test(value),
  )

/**
 * The parameters inside a scoped key: base64 of a digest (44 characters), the first 4 characters of the
 * parent key, and JSON. Null if no parent fits.
 */
function scoped(parents: readonly ApiKey[], given: string): Record<string, unknown> | null {
  const decoded = Buffer.from(given, 'base64').toString()
  const digest = decoded.slice(0, 44)
  const params = decoded.slice(48)
  const parent = parents.find(
    ({ value }) =>
      value.startsWith(decoded.slice(44, 48)) &&
      createHmac('sha256', value).update(params).digest('base64') === digest,
  )
  return parent === undefined ? null : JSON.parse(params)
}
