import type { Command, CommonInput } from './commands.ts'
import { ValidationError } from './errors.ts'
import { formatMemoryId } from './id.ts'
import type { JsonValue, Memory, MemoryState } from './state.ts'

/*
 * What two memories that seem to say the same, or to contradict each other, are suspected of, and how somebody settles them. Each way is a command that
 * there was already, so undo takes it back, and a copy of the project carries it, without knowing of it.
 *
 *   supersede   the newer one names the older one in `supersedes`
 *   keep-both   the newer one's metadata name the older one under `keptBeside`
 *   merge       the newer one takes over the older one's labels, categories, metadata and importance; the older one is forgotten
 *   forget      the older one is forgotten
 *
 * `keep-both` is metadata and no field of its own: nothing but the list of suspected pairs reads it, and all that reads,
 * filters, exports or synchronises memories would have to know a field. It is on one memory, so it is one event.
 */

/** What two memories are suspected of, with what it means, for people. */
export const SUSPICIONS = {
  duplicate: 'They say the same, and nothing tells them apart.',
  replaced: 'They are about one thing, and the newer one chose otherwise.',
  contradicts: 'They are much alike and differ in a number, a name or a negation.',
} as const
/** One of them. */
export type Suspicion = keyof typeof SUSPICIONS

/** The same as the heading of a pair. */
export const SUSPICION_HEADINGS: Readonly<Record<Suspicion, string>> = {
  duplicate: 'They seem to say the same',
  replaced: 'The newer one seems to replace the older one',
  contradicts: 'They seem to contradict each other',
}

/** The ways, with what they do, for people. */
export const SETTLEMENTS = {
  supersede: 'The newer memory supersedes the older one, which stays and is ranked below it.',
  'keep-both': 'Both stay as they are, and are not suspected again.',
  merge:
    'The newer memory takes over labels, categories, metadata and importance of the older one, which is forgotten. Its text stays: revise it before, if it lacks something.',
  forget: 'The older memory is forgotten.',
} as const
/** One of them. */
export type Settlement = keyof typeof SETTLEMENTS

/** The name in a memory's metadata under which it lists those that were decided to stay beside it. */
const KEPT_BESIDE = 'keptBeside'

const keptBeside = ({ metadata }: MemoryState): readonly JsonValue[] => {
  const kept = metadata[KEPT_BESIDE]
  return Array.isArray(kept) ? (kept as readonly JsonValue[]) : []
}

const idOf = ({ kind, id }: MemoryState): string => formatMemoryId(kind, id)

/** Whether somebody has settled what the two say: one supersedes the other, or both were decided to stay. */
export const isSettled = (one: MemoryState, other: MemoryState): boolean =>
  one.supersedes === other.id ||
  other.supersedes === one.id ||
  keptBeside(one).includes(idOf(other)) ||
  keptBeside(other).includes(idOf(one))

/**
 * The commands that settle two memories, in the order in which they must be given: what fails first has changed nothing, and
 * what is given again changes nothing more. Each expects the version that was decided on.
 * @throws ValidationError if it cannot be settled so
 */
export function settling(
  as: Settlement,
  { state: older, version: olderVersion }: Pick<Memory, 'state' | 'version'>,
  { state: newer, version: newerVersion }: Pick<Memory, 'state' | 'version'>,
): readonly Command[] {
  if (older.id === newer.id) throw new ValidationError('newer', 'is the older memory itself: give two')
  const revise = (input: CommonInput): Command => ({
    type: 'revise',
    id: newer.id,
    input,
    expectedVersion: newerVersion,
  })
  const forget: Command = { type: 'forget', id: older.id, expectedVersion: olderVersion }
  switch (as) {
    case 'supersede':
      return [revise({ supersedes: superseded(older, newer) })]
    case 'keep-both':
      return isSettled(older, newer)
        ? []
        : [revise({ metadata: beside(newer, keptBeside(newer), [idOf(older)]) })]
    case 'merge':
      return [revise(merged(older, newer)), forget]
    case 'forget':
      return [forget]
  }
}

function superseded(older: MemoryState, newer: MemoryState): string {
  if (older.supersedes === newer.id)
    throw new ValidationError(
      'as',
      'cannot be supersede: the older memory supersedes the newer one already. Undo that first, or give the two the other way round',
    )
  if (newer.supersedes != null && newer.supersedes !== older.id)
    throw new ValidationError(
      'as',
      `cannot be supersede: the newer memory supersedes ${newer.supersedes} already, and a memory names only one. Forget the older one, or merge them`,
    )
  return older.id
}

function merged(older: MemoryState, newer: MemoryState): CommonInput {
  const metadata = { ...older.metadata, ...newer.metadata }
  const kept = [...keptBeside(newer), ...keptBeside(older)].filter((id) => id !== idOf(newer))
  return {
    labels: [...new Set([...newer.labels, ...older.labels])],
    categories: [...new Set([...newer.categories, ...older.categories])],
    importance: Math.max(newer.importance, older.importance),
    metadata: kept.length === 0 ? metadata : beside({ ...newer, metadata }, kept, []),
  }
}

const beside = ({ metadata }: MemoryState, kept: readonly JsonValue[], more: readonly string[]) => ({
  ...metadata,
  [KEPT_BESIDE]: [...new Set([...kept, ...more])],
})
