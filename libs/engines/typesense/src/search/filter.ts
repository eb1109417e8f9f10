import type { MemoryFilter } from '@daybook/memory/filter'

/** A filter in Typesense's language. */
export interface TypesenseFilter {
  /** The project's live memories: what words are counted in. */
  readonly everything: string
  /** The same with the forgotten ones, where those are asked for: what makes a word a known one. */
  readonly known: string
  /** As much of the filter as Typesense can be told. It lets through all that the filter does, and perhaps more. */
  readonly filterBy: string
}

/**
 * Values that can stand between backticks: letters, digits, blanks and signs that mean nothing to the server's parser, at
 * most 64, with a letter or digit among them. Not among them: the backtick and the backslash, of which one ends the quotes and
 * the other keeps them open (trap 13); brackets, and control characters.
 */
const QUOTABLE = /^(?=.*[\p{L}\p{N}])[\p{L}\p{M}\p{N} ._:/@#+'&-]{1,64}$/u

const ID = /^[0-9a-f-]{36}$/

const INT32_MAX = 2 ** 31 - 1

/**
 * Makes `filter_by` of a filter. Typesense compares words, so it is never the last judge: every hit is checked in Postgres
 * (`constraint.ts`). Therefore a condition with a value that could leave its quotes need not be escaped. It is left out.
 *
 * The conditions are joined by `&&` only: the server gives `&&` and `||` the same precedence.
 *
 * @throws Error for a project id that is no UUID: nothing else stands between two projects
 */
export function typesenseFilter(projectId: string, filter: MemoryFilter): TypesenseFilter {
  if (!ID.test(projectId)) throw new Error('A project id that is no UUID cannot be put into a filter')
  const project = `project_id:=\`${projectId}\``
  const live = filter.includeForgotten === true ? [] : ['forgotten:=false']
  const conditions = [
    ...oneOf('kind', filter.kinds),
    ...oneOf('labels', filter.labelsAny),
    ...(filter.labelsAll ?? []).flatMap((label) => oneOf('labels', [label])),
    ...oneOf('categories', filter.categories),
    ...oneOf('context', filter.context === undefined ? undefined : [filter.context]),
    ...oneOf('agent', filter.agent === undefined ? undefined : [filter.agent]),
    ...atLeast('importance', filter.minImportance),
    ...within('created_at', filter.createdAfter, filter.createdBefore),
    ...within('occurred_at', filter.occurredAfter, filter.occurredBefore),
  ]
  return {
    known: [project, ...live].join(' && '),
    everything: [project, 'forgotten:=false'].join(' && '),
    filterBy: [project, ...live, ...conditions].join(' && '),
  }
}

/** Nothing where one value cannot be said: without it the condition would be stricter than the filter. */
function oneOf(field: string, values: readonly string[] | undefined): string[] {
  if (values === undefined || values.length === 0 || !values.every((value) => QUOTABLE.test(value))) return []
  return [`${field}:=[${values.map((value) => `\`${value}\``).join(',')}]`]
}

function atLeast(field: string, least: number | undefined): string[] {
  if (least === undefined || !(Math.abs(least) < INT32_MAX)) return []
  return [`${field}:>=${Math.ceil(least)}`]
}

/** Documents hold whole milliseconds, rounded down as here; so the end is included, and Postgres takes it away again. */
function within(field: string, after: string | undefined, before: string | undefined): string[] {
  const moment = (operator: string, text: string | undefined) => {
    const time = text === undefined ? Number.NaN : Date.parse(text)
    return Number.isNaN(time) ? [] : [`${field}:${operator}${time}`]
  }
  return [...moment('>=', after), ...moment('<=', before)]
}
