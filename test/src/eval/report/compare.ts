import { type MethodReport, type Report, reportMethod } from './report.ts'

/** A method's results beside those of an earlier report, over the questions that both asked. */
export interface Comparison {
  readonly before: MethodReport
  readonly now: MethodReport
  /** Evidence that was among the first ten and no longer is. */
  readonly lost: readonly Moved[]
  /** Evidence that is among the first ten and was not before. */
  readonly gained: readonly Moved[]
}

/** A relevant memory whose rank changed. A rank is null if the memory is not among the hits. */
export interface Moved {
  readonly question: string
  readonly questionId: string
  readonly category: string | null
  readonly memory: string
  readonly before: number | null
  readonly now: number | null
}

/** Evidence counts as found down to this rank. */
const DEPTH = 10

/**
 * Compares each method with the earlier report's method of the same name, else with its first one.
 * @throws Error if the reports have no question in common
 */
export function compare(earlier: Report, now: Pick<Report, 'methods'>): Comparison[] {
  return now.methods.map((method) => {
    const before = earlier.methods.find(({ name }) => name === method.name) ?? earlier.methods[0]
    if (before === undefined) throw new Error('the earlier report has no method')
    return compareMethods(before, method)
  })
}

function compareMethods(before: MethodReport, now: MethodReport): Comparison {
  const earlier = new Map(before.questions.map((question) => [question.id, question]))
  const both = now.questions.filter(
    ({ id, question, ranks }) =>
      earlier.get(id)?.question === question &&
      Object.keys(earlier.get(id)?.ranks ?? {}).join() === Object.keys(ranks).join(),
  )
  if (both.length === 0) throw new Error(`the reports have no question of ${now.name} in common`)
  const moved = both.flatMap(({ id, question, category, ranks }) =>
    Object.entries(ranks).map(([memory, rank]) => ({
      question,
      questionId: id,
      category,
      memory,
      before: earlier.get(id)?.ranks[memory] ?? null,
      now: rank,
    })),
  )
  const isFound = (rank: number | null) => rank !== null && rank <= DEPTH
  return {
    before: reportMethod(
      before.name,
      both.flatMap(({ id }) => earlier.get(id) ?? []),
    ),
    now: reportMethod(now.name, both),
    lost: moved.filter((one) => isFound(one.before) && !isFound(one.now)),
    gained: moved.filter((one) => !isFound(one.before) && isFound(one.now)),
  }
}

/** `q07 "…": m031 was at 4, is at 17` */
export function describeMoved({ questionId, question, memory, before, now }: Moved): string {
  return `${questionId} "${question}": ${memory} was ${place(before)}, is ${place(now)}`
}

const place = (rank: number | null) => (rank === null ? 'not found' : `at ${rank}`)
