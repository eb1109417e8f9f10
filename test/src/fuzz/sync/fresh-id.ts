import { createHash } from 'node:crypto'

/** An id that always follows from the same texts, so that a run with the same seed has the same. */
export function idOf(...texts: readonly (string | number)[]): string {
  const hex = createHash('sha256').update(JSON.stringify(texts)).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
