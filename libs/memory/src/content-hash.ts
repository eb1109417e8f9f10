import { createHash } from 'node:crypto'

/** By which the embedding store and the projections know a text: SHA-256 of its UTF-8. */
export function contentHash(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
