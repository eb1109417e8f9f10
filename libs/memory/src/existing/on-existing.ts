import { ConflictError, ValidationError } from '../errors.ts'
import { hasExpired } from '../expiry.ts'
import { formatMemoryId } from '../id.ts'
import { type KindName, kindNamed } from '../kinds/index.ts'
import { ON_EXISTING, type OnExisting } from '../kinds/kind.ts'
import type { Memory, MemoryState } from '../state.ts'
import { identityKeyOf } from './identity-key.ts'

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
 * does not: it is remembered anew. A document does, because its id stays its own; it comes back.
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
  )
}
