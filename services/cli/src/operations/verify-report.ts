import { grouped } from '@daybook/memory/size-in-words'
import type { VerifiedProject, VerifyJournalResult, VerifyResult } from '@daybook/operations/operation-types'
import { outputColumns } from '../output/columns.ts'
import { safeLine } from '../output/safe-text.ts'
import { table } from '../output/table.ts'

export interface ReportOptions {
  /** Differences named, a project. */
  readonly named: number
  /** How to see the others. */
  readonly seeAll: string
}

/** Characters of a digest that a terminal shows: enough to see that two are not the same. Elsewhere it is whole. */
const DIGEST = 16

const shortDigest = (digest: string) =>
  safeLine(digest).slice(0, outputColumns() === Number.POSITIVE_INFINITY ? undefined : DIGEST)

/** Each project in a line, then what differs, by name. */
export function renderVerified({ projects }: VerifyResult, options: ReportOptions): string[] {
  if (projects.length === 0) return ['There is nothing to compare yet.']
  const header = ['project', 'memories', 'position', 'pending', 'parked', 'repaired', 'result', 'digest']
  const rows = projects.map((one) => [
    safeLine(one.project),
    one.memories,
    one.position,
    one.pending,
    one.parked,
    one.repaired,
    resultOf(one),
    digests(one),
  ])
  return [
    table(header, rows),
    ...projects.flatMap((one) => [
      ...one.indexProblems.map((problem) => `${safeLine(one.project)}: ${safeLine(problem)}`),
      ...named(
        one.differences.map(
          ({ memoryId, differs }) =>
            `${safeLine(one.project)}: memory ${safeLine(memoryId)} differs in ${differs.map(safeLine).join(', ')}`,
        ),
        one.different,
        options,
      ),
    ]),
    ...(projects.some(({ pending }) => pending > 0)
      ? ['Pending memories wait for their vectors, which is no difference.']
      : []),
    ...(projects.some(({ parked }) => parked > 0)
      ? [
          'Parked events could not be applied: their memories are compared as they were before, and are not what the journal says.',
        ]
      : []),
  ]
}

function resultOf({ different, indexProblems, parked }: VerifiedProject): string {
  if (different > 0) return different === 1 ? '1 differs' : `${grouped(different)} differ`
  if (indexProblems.length > 0) return 'index differs'
  return parked > 0 ? 'parked' : 'equal'
}

/** Equal ones are shown once. After a repair they are those from before it. */
function digests({ journalDigest, projectionDigest, repaired }: VerifiedProject): string {
  const [wanted, held] = [journalDigest, projectionDigest].map(shortDigest)
  if (journalDigest === projectionDigest) return wanted ?? ''
  return `${wanted} in the journal, ${held} ${repaired > 0 ? 'before the repair' : 'in the index'}`
}

/** The same for journals and their hash chains. */
export function renderVerifiedJournal({ projects }: VerifyJournalResult, options: ReportOptions): string[] {
  if (projects.length === 0) return ['There is nothing to check yet.']
  const rows = projects.map((one) => [
    safeLine(one.project),
    one.events,
    one.erased,
    one.sequence,
    one.count === 0 ? 'unbroken' : one.count === 1 ? '1 problem' : `${grouped(one.count)} problems`,
    shortDigest(one.head),
  ])
  return [
    table(['project', 'events', 'erased', 'sequence', 'result', 'head'], rows),
    ...projects.flatMap((one) =>
      named(
        one.problems.map(
          ({ sequence, message }) => `${safeLine(one.project)}: sequence ${sequence}: ${safeLine(message)}`,
        ),
        one.count,
        options,
      ),
    ),
  ]
}

/** @param count of all that there are, of which the lines may be the first */
function named(lines: readonly string[], count: number, { named: most, seeAll }: ReportOptions): string[] {
  const shown = lines.slice(0, most)
  if (count <= shown.length) return [...shown]
  const more = `… and ${grouped(count - shown.length)} more.`
  return [
    ...shown,
    lines.length > shown.length
      ? `${more} Those that are noted:  ${seeAll}`
      : `${more} They are not noted by name.`,
  ]
}
