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
  const ref = inParts(id)
  return ref !== null && validate(ref.uuid) ? ref : null
}

function inParts(id: string): MemoryRef | null {
  const colon = id.indexOf(':')
  const kind = colon === -1 ? null : id.slice(0, colon).toLowerCase()
  const uuid = id.slice(colon + 1).toLowerCase()
  if (kind === null) return { uuid, kind: null }
  return isKindName(kind) ? { uuid, kind } : null
}

/** The least and the greatest UUID that begin with the same digits, and the kind if it was given. */
export interface MemoryIdRange {
  readonly kind: KindName | null
  readonly first: string
  readonly last: string
}

const UUID_DIGITS = 32

/** An id that is not made from an idempotency key begins with its time; four digits of that are seven weeks. */
const LEAST_DIGITS = 4

/** Reads the beginning of an id, such as `3f2a91c` or `note:3f2a91c`, with hyphens or without. Null if it is none. */
export function parseMemoryIdPrefix(prefix: string): MemoryIdRange | null {
  const ref = inParts(prefix)
  const digits = ref?.uuid.replaceAll('-', '') ?? ''
  if (ref === null || !/^[0-9a-f]+$/u.test(digits)) return null
  if (digits.length < LEAST_DIGITS || digits.length > UUID_DIGITS) return null
  return { kind: ref.kind, first: digits.padEnd(UUID_DIGITS, '0'), last: digits.padEnd(UUID_DIGITS, 'f') }
}
