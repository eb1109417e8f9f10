import { isKindName, type KindName, kindNamed } from '../kinds/index.ts'
import type { Content, MemoryState } from '../state.ts'
import { characters, isBlank, storableString } from '../text-rules.ts'

/** Joins words, each with its length in characters before it, so that no two lists give one text. */
const joined = (words: readonly string[]) => words.map((word) => `${characters(word)}:${word}`).join('')

/**
 * A text that two memories have in common if they are the same thing: kind, key, context and what else the
 * kind asks for. Null if the memory has no key. The column `events.identity_hash` is made of the same text
 * (`migrations/baseline/journal.ts`), so the journal finds memories by it.
 *
 * Keys are compared as they are, like `recall` does: neither blanks nor case are folded.
 */
export function identityKey(kind: KindName, content: Content, context: string | null): string | null {
  const { key, identity } = kindNamed(kind)
  const name = key(content as never)
  if (identity === null || typeof name !== 'string' || isBlank(name)) return null
  const place = identity.within === 'context' ? (context ?? '') : ''
  const alike = (identity.alike ?? []).map((field) => content[field] ?? '')
  if (!alike.every((text) => typeof text === 'string')) return null
  return joined([kind, name, place, ...alike])
}

/** The key by which a document's part is found. */
export const partKey = (document: string, number: number): string =>
  joined(['part', document, String(number)])

/** The identity key of a memory; of a document's further parts, their place in it. */
export function identityKeyOf({ kind, content, context, part }: MemoryState): string | null {
  if (part !== undefined && part.number > 1) return partKey(part.document, part.number)
  return identityKey(kind, content, context)
}

/** The identity key of unchecked input; null if it has none, or is not valid anyway. */
export function identityKeyOfInput(
  { kind, fields }: { readonly kind: string; readonly fields: { readonly [field: string]: unknown } },
  context: unknown,
): string | null {
  if (!isKindName(kind)) return null
  const place = typeof context === 'string' && !isBlank(context) ? context : null
  const key = identityKey(kind, fields as Content, place)
  // The database would refuse to look it up, with all that is looked up beside it.
  return storableString.safeParse(key).success ? key : null
}
