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

/** The outermost fields of an answer, with their types: what is in them stands in the documentation, and would cost each tool tokens. */
function outermost({ properties = {}, ...schema }: Record<string, unknown>): Record<string, unknown> {
  const fields = Object.entries(properties as Record<string, { readonly type?: unknown }>)
  return { ...schema, properties: Object.fromEntries(fields.map(([name, { type }]) => [name, { type }])) }
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

/** The parts of a JSON Schema that say how an argument may be read. */
interface ArgumentSchema {
  readonly type?: unknown
  readonly enum?: readonly unknown[]
  readonly items?: ArgumentSchema
  readonly properties?: Readonly<Record<string, ArgumentSchema>>
  readonly required?: readonly string[]
}

/** Whether a client sent it where a model had given nothing. As a text, "null" may be meant: a file may say it. */
const isNothing = (value: unknown, { type }: ArgumentSchema): boolean =>
  value === null || value === '' || (type !== 'string' && (value === 'null' || value === 'undefined'))

/**
 * Arguments as a tool wants them, from what clients make of them below the model, which cannot mend it: lists and objects as JSON
 * text, one thing for a list of one, null or "" for what is optional, numbers and booleans as text, words in other capitals. What
 * cannot be read so stays as it is, and is refused.
 */
function lenient(value: unknown, schema: ArgumentSchema): unknown {
  const { type, enum: words, items, properties } = schema
  if (type === 'array') {
    const list = jsonIn(value)
    // Names have no commas: whoever sends a text with some means several.
    const isNames = items?.type === 'string' && typeof list === 'string'
    const all = Array.isArray(list) ? list : isNames ? list.split(',').map((one) => one.trim()) : [list]
    return items === undefined ? all : all.map((one) => lenient(one, items))
  }
  if (type === 'object') {
    const given = jsonIn(value)
    if (properties === undefined || typeof given !== 'object' || given === null || Array.isArray(given))
      return given
    const said = Object.entries(given).flatMap(([name, one]) => {
      const known = Object.hasOwn(properties, name) ? properties[name] : undefined
      if (known === undefined) return [[name, one] as const]
      const isAbsent = isNothing(one, known) && schema.required?.includes(name) !== true
      return isAbsent ? [] : [[name, lenient(one, known)] as const]
    })
    return Object.fromEntries(said)
  }
  if (typeof value !== 'string') return value
  if (type === 'number' || type === 'integer')
    return value.trim() === '' || Number.isNaN(Number(value)) ? value : Number(value)
  if (type === 'boolean') return { true: true, false: false }[value.toLowerCase()] ?? value
  return words?.find((word) => String(word).toLowerCase() === value.toLowerCase()) ?? value
}

/** That an argument is none of the tool's: left out in silence, a filter of another name would find everything. */
function unknownIn(given: unknown, { properties = {} }: ArgumentSchema): string | null {
  // Some clients send one to a tool that has none.
  if (typeof given !== 'object' || given === null || Object.keys(properties).length === 0) return null
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(properties, name))
  return unknown === undefined
    ? null
    : `There is no argument "${unknown.slice(0, 64)}". The arguments: ${Object.keys(properties).join(', ')}`
}

/** The object or list that a text holds as JSON; else what was given. */
export function jsonIn(given: unknown): unknown {
  if (typeof given !== 'string' || !/^\s*[[{]/u.test(given)) return given
  try {
    return JSON.parse(given)
  } catch {
    return given
  }
}

/**
 * A client's message, or several, without `params` and `arguments` that are null: some clients, of Go for one, send it for an empty
 * object, which the protocol takes for no message at all.
 */
export function withoutNulls(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withoutNulls)
  if (!isObject(body) || !('params' in body)) return body
  const { params, ...message } = body
  if (params === null) return message
  if (!isObject(params) || params['arguments'] !== null) return body
  const { arguments: _none, ...rest } = params
  return { ...message, params: rest }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/**
 * The schema of a tool's arguments, which is as strict as it says, behind a door that is not (`lenient`).
 * @param accept brings other forms of the arguments into the schema's. Default: there are none
 */
export function argumentsOf<Schema extends z.ZodType>(
  schema: Schema,
  accept: (given: unknown) => unknown = (given) => given,
): StandardSchemaWithJSON<z.input<Schema>, z.output<Schema>> {
  const strict = once(schema)
  const { validate, jsonSchema } = strict['~standard']
  const form = jsonSchema.input({ target: 'draft-2020-12' }) as ArgumentSchema
  return {
    '~standard': {
      ...strict['~standard'],
      validate: (given: unknown) => {
        const asked = lenient(accept(given), form)
        const unknown = unknownIn(asked, form)
        return unknown === null ? validate(asked) : { issues: [{ message: unknown }] }
      },
    },
  } as typeof strict
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
  const standard: StandardSchemaWithJSON['~standard'] = schema['~standard']
  const texts = new Map<string, Record<string, unknown>>()
  const remember =
    (io: 'input' | 'output') =>
    (options: Parameters<typeof standard.jsonSchema.input>[0]): Record<string, unknown> => {
      const key = `${io}:${JSON.stringify(options)}`
      const before = texts.get(key)
      if (before !== undefined) return before
      const whole = lean(standard.jsonSchema[io](options)) as Record<string, unknown>
      const json = io === 'output' ? outermost(whole) : whole
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
