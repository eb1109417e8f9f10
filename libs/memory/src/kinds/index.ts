import { decision } from './decision.ts'
import { document } from './document.ts'
import { entity } from './entity.ts'
import { error } from './error.ts'
import { fact } from './fact.ts'
import { insight } from './insight.ts'
import type { Kind } from './kind.ts'
import { learning } from './learning.ts'
import { note } from './note.ts'
import { session } from './session.ts'
import { stash } from './stash.ts'
import { todo } from './todo.ts'

/**
 * Every kind of memory. A new kind is one file beside this one and one line here; the API follows from that.
 */
export const KINDS = {
  stash,
  insight,
  decision,
  learning,
  error,
  session,
  todo,
  note,
  fact,
  document,
  entity,
} as const

/** The name of a kind. */
export type KindName = keyof typeof KINDS

/** The names of all kinds. */
export const KIND_NAMES = Object.keys(KINDS) as readonly KindName[]

/** Whether a word is the name of a kind. */
export function isKindName(word: string): word is KindName {
  return Object.hasOwn(KINDS, word)
}

/**
 * A kind whose content type is not known statically. Its functions take only content that has passed its
 * checks.
 */
export function kindNamed(name: KindName): Kind {
  return KINDS[name] as unknown as Kind
}
