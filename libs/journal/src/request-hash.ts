import { createHash } from 'node:crypto'

/** JSON with keys in order, so that the same request gives the same text however its fields were ordered. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}

/** SHA-256 of what a request asks for. Tells a repeated request from another one under the same idempotency key. */
export function requestHash(request: unknown): Buffer {
  return createHash('sha256').update(canonicalJson(request)).digest()
}
