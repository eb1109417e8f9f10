import { ConflictError, ValidationError } from '../errors.ts'
import { hasExpired } from '../expiry.ts'
import { formatMemoryId } from '../id.ts'
import { isKindName, type KindName, kindNamed } from '../kinds/index.ts'
import { ON_EXISTING, type OnExisting } from '../kinds/kind.ts'
import type { Content, Memory, MemoryState } from '../state.ts'
import { characters, isBlank, storableString } from '../text-rules.ts'

/**
 * What `remember` does if the same thing exists: what the caller says, else what the kind says.
 * @throws ValidationError for another word, and for a second document with one id
 */
export function onExisting(kind: KindName, given: unknown, hasKey: boolean): OnExisting {
  const { identity } = kindNamed(kind)
  if (given == null) return identity?.onExisting ?? 'KEEP_BOTH'
  const word = ON_EXISTING.find((one) => one === given)
  if (word === undefined) throw new ValidationError('onExisting', `must be one of ${ON_EXISTING.join(', ')}`)
  if (hasKey && identity?.within === 'project' && word === 'KEEP_BOTH')
    throw new ValidationError(
      'onExisting',
      'cannot be KEEP_BOTH for a document with an id: the id is unique. Use REVISE or REJECT, or give another id',
    )
  return word
}

/**
 * Whether a memory counts as existing when the same thing is remembered. What was forgotten or has expired
 * does not: it is remembered again. A document does, because its id stays its own; it comes back.
 */
export function countsAsExisting(state: MemoryState, key: string, now: string): boolean {
  if (identityKeyOf(state) !== key) return false
  if (kindNamed(state.kind).identity?.within === 'project') return true
  return state.forgottenAt === null && !hasExpired(state, now)
}

/** The refusal to remember something twice. */
export function keyExists({ state, version }: Memory): ConflictError {
  return new ConflictError(
    'KEY_EXISTS',
    `This ${state.kind} exists already as ${formatMemoryId(state.kind, state.id)}, version ${version}${state.forgottenAt === null ? '' : ', forgotten'}. Revise it, or remember with onExisting REVISE`,
    version,
    state.id,
  )
}

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
  const name = key(content)
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
