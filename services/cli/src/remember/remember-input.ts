import type { InputOf } from '@daybook/api/graphql'
import { UsageError } from '../cli-error.ts'
import type { KindOption } from './kind-options.ts'
import { toOnExisting } from './on-existing.ts'

/** The options that all kinds share, as commander gives them. */
export interface CommonOptions {
  readonly label?: readonly string[]
  readonly category?: readonly string[]
  readonly importance?: number
  readonly context?: string
  readonly agent?: string
  readonly metadata?: string
  readonly occurredAt?: string
  readonly expiresAt?: string
  readonly supersedes?: string
  readonly onExisting?: string
  readonly idempotencyKey?: string
}

type RememberInput = InputOf<'RememberInput'>

/** The given values of a kind's fields, by their names in the API. */
export type FieldValues = Readonly<Record<string, string | readonly string[]>>

/** Parses the value of `--metadata`. @throws UsageError unless it is a JSON object */
export function parseMetadata(json: string): InputOf<'JSON'> {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    throw new UsageError('--metadata is not JSON', [
      `An object is needed, such as --metadata '{"ticket": 42}'`,
    ])
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`--metadata must be a JSON object, such as '{"ticket": 42}'`)
  return value as InputOf<'JSON'>
}

/**
 * Builds the request from the command line. It checks only that required fields were given; the daemon checks
 * limits.
 * @throws UsageError naming the option
 */
export function toRememberInput(
  kind: string,
  options: readonly KindOption[],
  values: FieldValues,
  common: CommonOptions,
): RememberInput {
  const missing = options.find(({ field, required }) => required && values[field] === undefined)
  if (missing !== undefined)
    throw new UsageError(
      missing.main
        ? `What to remember is missing. ${missing.description}`
        : `--${missing.flag} is missing. ${missing.description}`,
      [`daybook remember ${kind} --help`],
    )
  const fields = options.flatMap(({ field, shape }) => {
    const value = values[field]
    if (value === undefined) return []
    // A choice is an enum in the API: `closed` becomes CLOSED.
    return [[field, Array.isArray(shape) ? String(value).toUpperCase() : value] as const]
  })
  return {
    // The type checker cannot follow the kind's definition here; the daemon checks the content.
    content: { [kind]: Object.fromEntries(fields) } as unknown as RememberInput['content'],
    ...commonFields(common),
    ...given({
      supersedes: common.supersedes,
      onExisting: toOnExisting(common.onExisting),
      idempotencyKey: common.idempotencyKey,
    }),
  }
}

/** The common fields that were given, by their names in the API. @throws UsageError for metadata that is no JSON object */
export function commonFields(
  options: CommonOptions,
): Partial<Omit<RememberInput, 'content' | 'idempotencyKey'>> {
  const { label, category, metadata, importance, context, agent, occurredAt, expiresAt } = options
  return given({
    labels: label,
    categories: category,
    importance,
    context,
    agent,
    metadata: metadata === undefined ? undefined : parseMetadata(metadata),
    occurredAt,
    expiresAt,
  })
}

/** Without what was not given. */
function given<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Partial<Fields>
}
