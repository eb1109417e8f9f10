import { v5, v7, validate } from 'uuid'
import { isKindName, type KindName } from './kinds/index.ts'

/** A memory's id in parts. `kind` is null if only the plain UUID was given. */
export interface MemoryRef {
  readonly uuid: string
  readonly kind: KindName | null
}

/** A new id. UUIDv7 sorts by time, so primary keys' B-trees grow at their right edge. */
export function newId(): string {
  return v7()
}

/**
 * The id of the memory that a request remembers. With an idempotency key it is always the same (RFC 9562, version 5, within
 * the project): a request that is repeated through another Daybook, while the two cannot reach each other, gives out no second id
 * for what becomes one memory.
 */
export const rememberedId = (projectId: string, idempotencyKey: string | null): string =>
  idempotencyKey === null ? newId() : v5(idempotencyKey, projectId)

/**
 * The id under which the holder of an OAuth token asks and writes, as others do under their key's: always the same for an
 * issuer's subject, and of no key (RFC 9562, version 5).
 */
export const subjectId = (issuer: string, subject: string): string => v5(subject, v5(issuer, v5.URL))

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu

/** Whether the database takes a text for a UUID, of whichever version. */
export const isUuid = (text: string): boolean => UUID.test(text)

/** The id as clients see it: `insight:0192f0c1-…`. */
export function formatMemoryId(kind: KindName, uuid: string): string {
  return `${kind}:${uuid}`
}

/**
 * Reads both spellings, `kind:uuid` and the plain UUID. Null if the text is neither: no memory has such an
 * id.
 */
export function parseMemoryId(id: string): MemoryRef | null {
  const colon = id.indexOf(':')
  const kind = colon === -1 ? null : id.slice(0, colon).toLowerCase()
  const uuid = id.slice(colon + 1).toLowerCase()
  if (!validate(uuid)) return null
  if (kind === null) return { uuid, kind: null }
  return isKindName(kind) ? { uuid, kind } : null
}
