import { createHash } from 'node:crypto'
import { check } from '../check.ts'
import type { RememberInput } from '../commands.ts'
import { ValidationError } from '../errors.ts'
import type { KindName } from '../kinds/index.ts'
import { LIMITS } from '../limits.ts'
import type { Content, MemoryState } from '../state.ts'
import { bytes, bytesInWords, sizeInWords, storableString } from '../text-rules.ts'

/** The text of a further part. It may be blank: a long text is cut wherever it must be. */
const partText = storableString
  .min(1, 'must not be empty')
  .refine((text) => bytes(text) <= LIMITS.textBytes, {
    error: ({ input }) =>
      `is too long: the limit is ${sizeInWords(LIMITS.textBytes)} of UTF-8, and it has ${bytesInWords(bytes(String(input)))}`,
  })

/** @throws ValidationError */
function checkParts(kind: KindName, first: unknown, furtherParts: readonly unknown[]): void {
  if (kind !== 'document')
    throw new ValidationError('furtherParts', `cannot be of a ${kind}: only documents have parts`)
  const texts = [first, ...furtherParts.map((text, index) => check(`furtherParts.${index}`, partText, text))]
  const size = texts.reduce<number>((sum, text) => sum + bytes(String(text)), 0)
  if (size > LIMITS.documentBytes)
    throw new ValidationError(
      'furtherParts',
      `make the document too long: the limit is ${sizeInWords(LIMITS.documentBytes)} of UTF-8, and it has ${bytesInWords(size)}`,
    )
}

/**
 * The place of a document among its parts; nothing for a text that is one memory.
 * @param id its plain id
 * @throws ValidationError for parts that no document may have
 */
export function placeInDocument(
  id: string,
  kind: KindName,
  { furtherParts = [] }: RememberInput,
  { content }: Content,
): Pick<MemoryState, 'part'> {
  if (furtherParts.length === 0) return {}
  checkParts(kind, content, furtherParts)
  const digest = createHash('sha256')
    .update([content, ...furtherParts].join(''))
    .digest('hex')
  return { part: { document: id, number: 1, of: furtherParts.length + 1, digest } }
}
