import type { VerifiedProject, VerifyJournalResult, VerifyResult } from '@daybook/operations/operation-types'
import { formatCount, formatCounted } from '../components/format.ts'

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
    sentence: sentenceOf(found),
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
function sentenceOf(parts: readonly string[]): string {
  const joined = parts.join('; ')
  return `${joined.charAt(0).toUpperCase()}${joined.slice(1)}.`
}
