import { readHash } from '@daybook/journal/chain/read-chain'
import { readCheckedEnd } from '@daybook/journal/read/read'
import { DivergedError, ValidationError } from '@daybook/memory/errors'
import type { ProjectScope } from '@daybook/postgres/project-scope'

/** A place in the journal as a client names it: a sequence, and optionally the hash of the event there. */
export interface NamedPlace {
  readonly sequence: number
  readonly hash: string | null
}

/**
 * Reads the place that a client names with the arguments `name` and `nameHash`; null if it names none.
 * @throws ValidationError
 */
export function checkPlace(
  name: 'after' | 'atLeast',
  sequence: number | null | undefined,
  hash: string | null | undefined,
): NamedPlace | null {
  if (sequence != null && sequence < 0) throw new ValidationError(name, 'must not be negative')
  if (hash == null) return sequence == null ? null : { sequence, hash: null }
  if (sequence == null)
    throw new ValidationError(name, `is required with ${name}Hash, which is the hash of that event`)
  if (!/^[0-9a-f]{64}$/u.test(hash))
    throw new ValidationError(`${name}Hash`, 'must be the hash of an event: 64 digits of lower-case hex')
  return { sequence, hash }
}

/**
 * Checks that the journal has the place: an event with the given hash, or any event at the sequence if there
 * is no hash.
 * @throws DivergedError
 */
export async function requirePlace(
  project: ProjectScope,
  name: 'after' | 'atLeast',
  { sequence, hash }: NamedPlace,
): Promise<void> {
  const stored = await readHash(project, sequence)
  if (stored !== null && (hash === null || stored === hash)) return
  const { sequence: head, isCopy } = await readCheckedEnd(project)
  throw new DivergedError(`The event of ${name}:`, { sequence, head, lastCommon: null, isCopy })
}
