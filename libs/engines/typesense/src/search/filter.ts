import type { MemoryFilter } from '@daybook/memory/filter'

/** A filter in Typesense's syntax. */
export interface TypesenseFilter {
  /** The project's live memories, among which words are counted. */
  readonly everything: string
  /** The same, with forgotten memories if they are asked for: a word in one of them is a known word. */
  readonly known: string
  /**
   * The part of the filter that Typesense can express. It admits everything that the filter admits, and
   * perhaps more.
   */
  readonly filterBy: string
}

/**
 * Values that can be quoted in backticks: at most 64 letters, digits, blanks and signs without a meaning in
 * the server's syntax, among them at least one letter or digit. Excluded are the backtick, which ends the
 * quotes, the backslash, which keeps them open, brackets and control characters.
 */
const QUOTABLE = /^(?=.*[\p{L}\p{N}])[\p{L}\p{M}\p{N} ._:/@#+'&-]{1,64}$/u

const ID = /^[0-9a-f-]{36}$/

const INT32_MAX = 2 ** 31 - 1

/**
 * Translates a filter to `filter_by`. Typesense compares words, so it never has the last say: every hit is
 * checked in Postgres (`constraint.ts`). Hence a condition whose value could leave its quotes is not escaped
 * but left out.
 *
 * Conditions are only joined by `&&`, as the server gives `&&` and `||` the same precedence.
 *
 * @throws Error if the project id is not a UUID: nothing else separates two projects
 */
export function typesenseFilter(projectId: string, filter: MemoryFilter): TypesenseFilter {
  if (!ID.test(projectId)) throw new Error('A project id that is not a UUID cannot be put into a filter')
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

/**
 * No condition if one value cannot be quoted: without that value the condition would be stricter than the
 * filter.
 */
function oneOf(field: string, values: readonly string[] | undefined): string[] {
  if (values === undefined || values.length === 0 || !values.every((value) => QUOTABLE.test(value))) return []
  return [`${field}:=[${values.map((value) => `\`${value}\``).join(',')}]`]
}

function atLeast(field: string, least: number | undefined): string[] {
  if (least === undefined || !(Math.abs(least) < INT32_MAX)) return []
  return [`${field}:>=${Math.ceil(least)}`]
}

/**
 * Documents hold milliseconds, rounded down as here. So the end is included, and Postgres excludes it again.
 */
function within(field: string, after: string | undefined, before: string | undefined): string[] {
  const moment = (operator: string, text: string | undefined) => {
    const time = text === undefined ? Number.NaN : Date.parse(text)
    return Number.isNaN(time) ? [] : [`${field}:${operator}${time}`]
  }
  return [...moment('>=', after), ...moment('<=', before)]
}
