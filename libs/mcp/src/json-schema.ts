import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import type { z } from 'zod'

/** What zod says of every whole number. */
const [LEAST, MOST] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]

/**
 * A JSON Schema without what goes without saying: MCP's dialect, that names are strings, that anything may stand where
 * nothing is said. That is a quarter of the tokens that a list of tools takes.
 */
function lean(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(lean)
  if (typeof schema !== 'object' || schema === null) return schema
  const said = Object.entries(schema).filter(
    ([name, value]) =>
      name !== '$schema' &&
      name !== 'propertyNames' &&
      !(
        name === 'additionalProperties' &&
        typeof value === 'object' &&
        Object.keys(value as object).length === 0
      ) &&
      !(name === 'minimum' && value === LEAST) &&
      !(name === 'maximum' && value === MOST),
  )
  return Object.fromEntries(said.map(([name, value]) => [name, lean(value)]))
}

/** Of a list of 20,000 wrong items each is an issue, and the SDK would name them all. */
const MOST_ISSUES = 5

/** The result of a check with its first issues only. */
function fewIssues<Result>(result: Result): Result {
  const { issues } = result as { readonly issues?: readonly { readonly message: string }[] }
  if (issues === undefined || issues.length <= MOST_ISSUES) return result
  const more = { message: `and ${issues.length - MOST_ISSUES} more` }
  return { ...result, issues: [...issues.slice(0, MOST_ISSUES), more] }
}

const made = new WeakMap<z.ZodType, StandardSchemaWithJSON>()

/**
 * The schema with its JSON Schema made once: over HTTP each request has a server of its own, and the SDK would make the JSON
 * Schema again for each call. Of what does not fit it names the first five issues.
 */
export function once<Schema extends z.ZodType>(
  schema: Schema,
): StandardSchemaWithJSON<z.input<Schema>, z.output<Schema>> {
  const known = made.get(schema)
  if (known !== undefined) return known as StandardSchemaWithJSON<z.input<Schema>, z.output<Schema>>
  const standard = schema['~standard'] as unknown as StandardSchemaWithJSON['~standard']
  const texts = new Map<string, Record<string, unknown>>()
  const remember =
    (io: 'input' | 'output') =>
    (options: Parameters<typeof standard.jsonSchema.input>[0]): Record<string, unknown> => {
      const key = `${io}:${JSON.stringify(options)}`
      const before = texts.get(key)
      if (before !== undefined) return before
      const json = lean(standard.jsonSchema[io](options)) as Record<string, unknown>
      texts.set(key, json)
      return json
    }
  const kept = {
    '~standard': {
      ...standard,
      validate: (value: unknown) => {
        const checked = standard.validate(value)
        return checked instanceof Promise ? checked.then(fewIssues) : fewIssues(checked)
      },
      jsonSchema: { input: remember('input'), output: remember('output') },
    },
  } as StandardSchemaWithJSON
  made.set(schema, kept)
  return kept as StandardSchemaWithJSON<z.input<Schema>, z.output<Schema>>
}
