import {
  conditionsOf,
  type FilterCondition,
  type FilteredField,
  type MemoryFilter,
} from '@daybook/memory/filter'
import type { FieldName } from '../write/collection.ts'

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
 * the server's syntax, among them at least one letter or digit; modifier letters do not count, because the server drops
 * some, such as the prime (U+02B9), and then nothing would be left to compare. Excluded are the backtick, which ends the
 * quotes, the backslash, which keeps them open, brackets and control characters.
 */
const QUOTABLE = /^(?=.*[\p{Lu}\p{Ll}\p{Lt}\p{Lo}\p{N}])[\p{L}\p{M}\p{N} ._:/@#+'&-]{1,64}$/u

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
  const conditions = conditionsOf(filter).flatMap(inTypesense)
  return {
    known: [project, ...live].join(' && '),
    everything: [project, 'forgotten:=false'].join(' && '),
    filterBy: [project, ...live, ...conditions].join(' && '),
  }
}

/** The documents' fields that filters read; null where documents lack the field, so that it is left to Postgres. */
const FIELDS: { readonly [Field in FilteredField]: FieldName | null } = {
  kind: 'kind',
  labels: 'labels',
  categories: 'categories',
  context: 'context',
  agent: 'agent',
  importance: 'importance',
  createdAt: 'created_at',
  occurredAt: 'occurred_at',
}

/** The conditions that admit everything that the filter's condition admits. */
function inTypesense({ field, comparison, given }: FilterCondition): string[] {
  const name = FIELDS[field]
  if (name === null) return []
  switch (comparison) {
    case 'isOneOf':
    case 'sharesOne':
      return oneOf(name, given)
    case 'equals':
      return oneOf(name, [given])
    case 'hasAll':
      return given.flatMap((word) => oneOf(name, [word]))
    case 'atLeast':
      return Math.abs(given) < INT32_MAX ? [`${name}:>=${Math.ceil(given)}`] : []
    case 'notBefore':
      return compareTime(name, '>=', given)
    case 'before':
      // Documents hold milliseconds, rounded down. So the end is included, and Postgres excludes it again.
      return compareTime(name, '<=', given)
  }
}

/**
 * No condition if one value cannot be quoted: without that value the condition would be stricter than the
 * filter.
 */
function oneOf(field: FieldName, values: readonly string[]): string[] {
  if (values.length === 0 || !values.every((value) => QUOTABLE.test(value))) return []
  return [`${field}:=[${values.map((value) => `\`${value}\``).join(',')}]`]
}

function compareTime(field: FieldName, operator: '>=' | '<=', moment: string): string[] {
  const time = Date.parse(moment)
  return Number.isNaN(time) ? [] : [`${field}:${operator}${time}`]
}
