import type {
  UndoResult,
  VerifiedProject,
  VerifyJournalResult,
  VerifyResult,
} from '@daybook/operations/operation-types'
import type { Operation, Projection, ProjectionName } from '../api/operations.ts'
import type { Tone } from '../components/badge.tsx'
import { formatCount, formatCounted } from '../components/format.ts'

/** How an operation ended, in words. Of one that has not, what it does. */
export function outcomeOf(operation: Operation): Outcome {
  const { status, error, phase, result } = operation
  if (status === 'FAILED') return plain(false, error ?? 'It does not say why.')
  if (status === 'CANCELLED')
    return plain(
      false,
      operation.type === 'UNDO'
        ? `Cancelled after ${formatCount(operation.done)}. What it had done stays.`
        : 'Cancelled. What it had begun is cleaned up.',
    )
  if (status !== 'SUCCEEDED' || result === null) return plain(true, error ?? phase)
  return succeeded(operation, result)
}

/** To the API a result is any JSON; the handler of the type made it (`operation-types.ts`). */
function succeeded({ type, projection }: Operation, result: Readonly<Record<string, unknown>>): Outcome {
  const count = (name: string) => Number(result[name] ?? 0)
  switch (type) {
    case 'VERIFY':
      return verifiedIndex(result as unknown as VerifyResult)
    case 'VERIFY_JOURNAL':
      return verifiedJournal(result as unknown as VerifyJournalResult)
    case 'REINDEX':
      return result['rewritten'] === undefined ? rebuilt(result) : rewritten(result)
    case 'REPLAY':
      return projection === null
        ? plain(true, `${formatCounted(count('published'), 'event')} were published again.`)
        : rewritten(result)
    case 'BACKFILL':
      return plain(
        count('failed') === 0,
        `Vectors made: ${formatCount(count('done'))}; there already: ${formatCount(count('skipped'))}; failed: ${formatCount(count('failed'))}.`,
      )
    case 'RETRY_PARKED':
      return plain(
        count('failed') === 0,
        `Memories up to date again: ${formatCount(count('retried'))}; still parked: ${formatCount(count('failed'))}.`,
      )
    case 'DELETE_PROJECT':
      return plain(
        true,
        `Everything of the project is removed; its journal had ${formatCounted(count('events'), 'event')}.`,
      )
    case 'UNDO':
      return undone(result as unknown as UndoResult)
    default:
      return plain(true, JSON.stringify(result))
  }
}

function rebuilt(result: Readonly<Record<string, unknown>>): Outcome {
  const old = Array.isArray(result['old']) ? result['old'].map(Number) : []
  return plain(
    true,
    `Generation ${Number(result['generation'])} is live, with vectors of ${String(result['model'])}.${
      old.length === 0 ? '' : ` Generation ${old.join(', ')} is kept for a rollback, and up to date.`
    }`,
  )
}

const rewritten = (result: Readonly<Record<string, unknown>>): Outcome =>
  plain(
    Number(result['failed'] ?? 0) === 0,
    `${formatCounted(Number(result['rewritten'] ?? 0), 'memory', 'memories')} rewritten in generation ${Number(result['generation'] ?? 0)}.`,
  )

const undone = ({ undone: changed, unchanged, refused, refusals }: UndoResult): Outcome => ({
  ...plain(
    refused === 0,
    `Memories undone: ${formatCount(changed)}; as they should be already: ${formatCount(unchanged)}; refused: ${formatCount(refused)}.`,
  ),
  details: refusals.map(({ memoryId, title, reason }) => `${title ?? '(erased)'} (${memoryId}): ${reason}`),
})

const plain = (good: boolean, sentence: string): Outcome => ({
  good,
  sentence,
  details: [],
  repairable: false,
})

const PROJECTIONS: Readonly<Record<string, string>> = { PGVECTOR: 'pgvector', TYPESENSE: 'Typesense' }

/** A projection's name for people. */
export const projectionTitle = (name: ProjectionName | string): string =>
  PROJECTIONS[name.toUpperCase()] ?? name.toLowerCase()

const WORK: Readonly<Record<string, string>> = {
  REINDEX: 'Rebuild',
  VERIFY: 'Verification',
  VERIFY_JOURNAL: 'Verification of the journal',
  REPLAY: 'Replay',
  BACKFILL: 'Making of vectors',
  RETRY_PARKED: 'Retry of parked events',
  UNDO: 'Undo',
  DELETE_PROJECT: 'Removal of a deleted project',
}

/** An operation's name for people: `Rebuild of pgvector`. */
export function operationName({ type, projection }: Pick<Operation, 'type' | 'projection'>): string {
  const work = WORK[type] ?? sentenceOf(type)
  return projection === null ? work : `${work} of ${projectionTitle(projection)}`
}

/** Of a type that is newer than this list. */
const sentenceOf = (type: string): string => type.charAt(0) + type.slice(1).toLowerCase().replaceAll('_', ' ')

/** What a projection's state means, and what becomes of it. */
interface State {
  readonly tone: Tone
  readonly meaning: string | null
}

const STATES: Readonly<Record<string, State>> = {
  live: { tone: 'good', meaning: null },
  rebuilding: { tone: 'busy', meaning: null },
  stopped: {
    tone: 'bad',
    meaning: 'It is behind, and has made no progress for half a minute. The log of its projector says why.',
  },
  diverged: {
    tone: 'bad',
    meaning:
      'It has applied events that the journal has lost, as in a failover. It goes back to the last common event by itself.',
  },
  unreachable: { tone: 'bad', meaning: 'Its server does not answer. Searches use another engine meanwhile.' },
  unusable: {
    tone: 'bad',
    meaning: 'Its tables are missing or have another version. It is being rebuilt by itself.',
  },
}

/** What is to be known about the state that a projection is in. */
export const stateOf = ({ status }: Projection): State => STATES[status] ?? { tone: 'warning', meaning: null }

/** A result in words. */
export interface Outcome {
  /** Whether all was done, and nothing found wrong. */
  readonly good: boolean
  readonly sentence: string
  /** What stands behind it, one thing each, of which there may be hundreds. */
  readonly details: readonly string[]
  /** Whether a verification that rewrites what differs would help. */
  readonly repairable: boolean
}

const memories = (count: number) => formatCounted(count, 'memory', 'memories')

const differ = (count: number) => (count === 1 ? 'differs' : 'differ')

const sum = (projects: readonly VerifiedProject[], of: (project: VerifiedProject) => number): number =>
  projects.reduce((total, project) => total + of(project), 0)

/** What a comparison of an index with the journal found. */
export function verifiedIndex({ clean, projects }: VerifyResult): Outcome {
  const all = sum(projects, (one) => one.memories)
  const different = sum(projects, (one) => one.different)
  const repaired = sum(projects, (one) => one.repaired)
  const parked = sum(projects, (one) => one.parked)
  const pending = sum(projects, (one) => one.pending)
  const problems = projects.flatMap(({ project, indexProblems }) =>
    indexProblems.map((problem) => `${project}: ${problem}`),
  )
  const found = [
    ...(repaired > 0
      ? [`${memories(repaired)} differed and ${repaired === 1 ? 'was' : 'were'} repaired`]
      : []),
    ...(different > 0
      ? [`${formatCount(different)} of ${memories(all)} ${differ(different)} from the journal`]
      : []),
    ...(problems.length > 0 && different === 0 ? ['the index itself differs from what it should be'] : []),
    ...(parked > 0
      ? [
          `${formatCounted(parked, 'event')} ${parked === 1 ? 'is' : 'are'} parked, so ${parked === 1 ? 'its memory is' : 'their memories are'} older there than in the journal`,
        ]
      : []),
    ...(clean
      ? [
          all === 0
            ? 'there is nothing to compare yet'
            : `${memories(all)} ${all === 1 ? 'equals' : 'equal'} the journal`,
        ]
      : []),
    ...(pending > 0
      ? [`${memories(pending)} ${pending === 1 ? 'waits' : 'wait'} for vectors, which is no difference`]
      : []),
  ]
  return {
    good: clean,
    sentence: verifiedSentence(found),
    details: [...problems, ...projects.flatMap(differences)],
    repairable: different > 0 || problems.length > 0,
  }
}

function differences({ project, differences: named, different }: VerifiedProject): string[] {
  const lines = named.map(
    ({ memoryId, differs }) => `${project}: memory ${memoryId} differs in ${differs.join(', ')}`,
  )
  return different > named.length
    ? [
        ...lines,
        `${project}: … and ${formatCount(different - named.length)} more, which are not noted by name`,
      ]
    : lines
}

/** What a check of the chain of hashes found. */
export function verifiedJournal({ clean, projects }: VerifyJournalResult): Outcome {
  const events = formatCounted(
    projects.reduce((total, one) => total + one.events, 0),
    'event',
  )
  const count = projects.reduce((total, one) => total + one.count, 0)
  return {
    good: clean,
    sentence: clean
      ? `${events} of ${formatCounted(projects.length, 'project')} stand in an unbroken chain of hashes.`
      : `${formatCounted(count, 'problem')} in ${events}: somebody changed the journal beside Daybook, or the database lost something.`,
    details: projects.flatMap(({ project, problems }) =>
      problems.map(({ sequence, message }) => `${project}, event ${sequence}: ${message}`),
    ),
    repairable: false,
  }
}

/** Joins statements to one sentence. */
function verifiedSentence(parts: readonly string[]): string {
  const joined = parts.join('; ')
  return `${joined.charAt(0).toUpperCase()}${joined.slice(1)}.`
}
