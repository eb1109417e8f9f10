import { createHash } from 'node:crypto'
import type { RememberInput } from '../commands.ts'
import type { Content, MemoryState } from '../state.ts'

/** The place of a document among its parts; nothing for a text that is one memory. @param id its plain id */
export function placeInDocument(
  id: string,
  { furtherParts = [] }: RememberInput,
  { content }: Content,
): Pick<MemoryState, 'part'> {
  if (furtherParts.length === 0) return {}
  const digest = createHash('sha256')
    .update([content, ...furtherParts].join(''))
    .digest('hex')
  return { part: { document: id, number: 1, of: furtherParts.length + 1, digest } }
}
