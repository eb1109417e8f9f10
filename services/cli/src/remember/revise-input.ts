import { UsageError } from '../cli-error.ts'
import type { KindOption } from './kind-options.ts'
import { type CommonOptions, commonFields } from './remember-input.ts'

/** The options of `daybook revise` that change something, as commander gives them. */
export interface RevisionOptions extends CommonOptions {
  /** `field=value`. */
  readonly set?: readonly string[]
  readonly clear?: readonly string[]
}

/** The common fields that can be emptied, by the names of their options. */
const CLEARED: Readonly<Record<string, string>> = {
  label: 'labels',
  category: 'categories',
  context: 'context',
  agent: 'agent',
  metadata: 'metadata',
  'occurred-at': 'occurredAt',
  'expires-at': 'expiresAt',
}

/**
 * Builds the revision from the command line. The daemon checks limits.
 * @param text the new value of the kind's main field; null if it stays
 * @throws UsageError for a field that the kind does not have
 */
export function reviseInput(
  kind: string,
  options: readonly KindOption[],
  text: string | null,
  given: RevisionOptions,
): Readonly<Record<string, unknown>> {
  const own: Record<string, unknown> = {}
  const common: Record<string, unknown> = { ...commonFields(given) }
  const optionOf = (name: string) => options.find(({ flag, field }) => flag === name || field === name)
  const unknown = (name: string) =>
    new UsageError(`A ${kind} has no field "${name}"`, [
      `Fields: ${options.map(({ flag }) => flag).join(', ')}`,
    ])

  for (const pair of given.set ?? []) {
    const [name = '', ...rest] = pair.split('=')
    if (rest.length === 0) throw new UsageError(`--set ${pair} has no value: write it as ${pair}=<value>`)
    const option = optionOf(name)
    if (option === undefined) throw unknown(name)
    const value = rest.join('=')
    const { field, shape } = option
    if (shape === 'strings') own[field] = [...((own[field] as string[] | undefined) ?? []), value]
    // A choice is an enum in the API: `closed` becomes CLOSED.
    else own[field] = Array.isArray(shape) ? value.toUpperCase() : value
  }
  for (const name of given.clear ?? []) {
    const option = optionOf(name)
    if (option !== undefined) own[option.field] = option.shape === 'strings' ? [] : null
    else if (CLEARED[name] !== undefined) common[CLEARED[name]] = null
    else throw unknown(name)
  }
  const main = options.find((option) => option.main)
  if (text !== null) {
    if (main === undefined) throw new UsageError(`A ${kind} has no text; name the field with --set`)
    own[main.field] = text
  }
  return { ...common, ...(Object.keys(own).length === 0 ? {} : { content: { [kind]: own } }) }
}
