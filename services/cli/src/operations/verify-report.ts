import { safeLine } from '@daybook/memory/safe-text'
import { grouped } from '@daybook/memory/text-rules'
import type { VerifiedProject, VerifyJournalResult, VerifyResult } from '@daybook/operations/operation-types'
import { outputColumns, table } from '../output/table.ts'

/** How much of a report is printed. */
export interface ReportOptions {
  /** The most differences listed per project. */
  readonly named: number
  /** The command that shows the others. */
  readonly seeAll: string
}

/** Characters of a digest that a terminal shows: enough to tell two apart. Elsewhere it is printed whole. */
const DIGEST = 16

const shortDigest = (digest: string) =>
  safeLine(digest).slice(0, outputColumns() === Number.POSITIVE_INFINITY ? undefined : DIGEST)

/** One line per project, then the differences. */
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

/** The digests of journal and projection, once if they are equal. After a repair, those from before it. */
function digests({ journalDigest, projectionDigest, repaired }: VerifiedProject): string {
  const [wanted, held] = [journalDigest, projectionDigest].map(shortDigest)
  if (journalDigest === projectionDigest) return wanted ?? ''
  return `${wanted} in the journal, ${held} ${repaired > 0 ? 'before the repair' : 'in the index'}`
}

/** Like `renderVerified`, for journals and their hash chains. */
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
    ...whatToDo(projects.flatMap((one) => one.problems)),
  ]
}

/** What can be done about problems of a journal. Nothing in Daybook changes events, so nothing in it mends them. */
function whatToDo(problems: VerifyJournalResult['projects'][number]['problems']): string[] {
  const changed = new Set(
    problems.flatMap(({ kind, memoryId }) =>
      kind === 'data-changed' && memoryId !== null ? [memoryId] : [],
    ),
  )
  const others = problems.some(({ kind }) => kind !== 'data-changed')
  return [
    ...(others
      ? [
          'Something other than Daybook changed the journal. Restore a backup in which it is sound (docs/upkeep.md, "Backup and restore").',
        ]
      : []),
    ...(changed.size > 0
      ? [
          `Changed content cannot be told from what it was. Restore a backup, or erase the ${changed.size === 1 ? 'memory' : 'memories'} for good: the rest is provable then.`,
          ...[...changed].slice(0, 3).map((id) => `  daybook erase ${safeLine(id)}`),
        ]
      : []),
  ]
}

/** @param count how many there are in all; `lines` may hold only the first of them */
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
