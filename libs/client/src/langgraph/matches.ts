import type { MatchCondition } from '@langchain/langgraph-checkpoint'

type Comparison = (value: unknown, wanted: unknown) => boolean

/** As LangGraph's own stores compare. */
const COMPARISONS: Readonly<Record<string, Comparison>> = {
  $eq: (value, wanted) => value === wanted,
  $ne: (value, wanted) => value !== wanted,
  $gt: (value, wanted) => Number(value) > Number(wanted),
  $gte: (value, wanted) => Number(value) >= Number(wanted),
  $lt: (value, wanted) => Number(value) < Number(wanted),
  $lte: (value, wanted) => Number(value) <= Number(wanted),
  $in: (value, wanted) => Array.isArray(wanted) && wanted.includes(value),
  $nin: (value, wanted) => !Array.isArray(wanted) || !wanted.includes(value),
}

/** Whether each field of a value is as the filter wants it: equal, or as its operators say. */
export const matchesFilter = (
  value: Readonly<Record<string, unknown>>,
  filter: Readonly<Record<string, unknown>> = {},
): boolean => Object.entries(filter).every(([field, wanted]) => matches(value[field], wanted))

function matches(value: unknown, wanted: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null) return value === wanted
  const operators = Object.entries(wanted)
  if (!operators.every(([name]) => Object.hasOwn(COMPARISONS, name))) return value === wanted
  return operators.every(([name, operand]) => COMPARISONS[name]?.(value, operand))
}

/** Whether a namespace begins or ends as all conditions say. `*` stands for any label. */
export const matchesConditions = (
  namespace: readonly string[],
  conditions: readonly MatchCondition[] = [],
): boolean =>
  conditions.every(({ matchType, path }) => {
    if (path.length > namespace.length) return false
    const from = matchType === 'prefix' ? 0 : namespace.length - path.length
    return path.every((label, index) => label === '*' || label === namespace[from + index])
  })

/** Whether `namespace` lies in `prefix`. */
export const isWithin = (namespace: readonly string[], prefix: readonly string[]): boolean =>
  matchesConditions(namespace, [{ matchType: 'prefix', path: [...prefix] }])
