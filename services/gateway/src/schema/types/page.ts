import { ValidationError } from '@daybook/memory/errors'
import { moment } from '@daybook/memory/text-rules'
import type { Named } from '@daybook/search/people/named'
import type { PageInfoShape } from '@pothos/plugin-relay'
import { Kind, type ValueNode, valueFromASTUntyped } from 'graphql'
import { createGraphQLError } from 'graphql-yoga'
import { builder } from '../builder.ts'
import { PAGE_MAX } from '../limits.ts'
import { memoryInterface } from './memory.ts'

/** The largest cursor of a list ordered by sequence. */
const LAST_SEQUENCE = Number.MAX_SAFE_INTEGER

/** The largest cursor of a list ordered by version: Postgres keeps versions in 32 bits. */
export const LAST_VERSION = 2_147_483_647

/**
 * Checks how many items of a list are asked for.
 * @param fallback used if nothing is given
 * @throws ValidationError naming the limit
 */
export function checkFirst(
  given: number | null | undefined,
  { fallback, most = PAGE_MAX }: { readonly fallback: number; readonly most?: number },
): number {
  const first = given ?? fallback
  if (first < 1 || first > most) throw new ValidationError('first', `must be from 1 to ${most}`)
  return first
}

interface PageArguments {
  readonly first?: number | null | undefined
  readonly after?: string | null | undefined
}

/** A page of a list that is ordered by a number. That number is each item's cursor. */
interface Page {
  /** The arguments for Pothos' `resolveCursorConnection`. */
  readonly args: { readonly first: number; readonly after: string | null }
  /** The number in the cursor; null means from the beginning. */
  readonly after: number | null
}

/**
 * Checks the arguments of a page; `first` is 20 by default. Pothos would silently lower a larger `first` to
 * the limit, and does not check cursors.
 * @param last the largest cursor that the list can have; the database would refuse a larger number
 * @throws ValidationError naming the argument and its limit
 */
export function checkPage(args: PageArguments, last = LAST_SEQUENCE): Page {
  const [first, cursor] = [checkFirst(args.first, { fallback: 20 }), args.after ?? null]
  if (cursor === null) return { args: { first, after: null }, after: null }
  const after = Number(cursor)
  if (!/^\d{1,16}$/u.test(cursor)) throw new ValidationError('after', 'is not a cursor of this list')
  if (after > last) throw new ValidationError('after', `is no cursor of this list: the largest is ${last}`)
  return { args: { first, after: cursor }, after }
}

/** Removes the made-up cursors, such as an empty text, that Pothos gives an empty page. */
export function withOwnCursors<Edge>(connection: Connection<Edge>): Connection<Edge> {
  if (connection.edges.length > 0) return connection
  return { ...connection, pageInfo: { ...connection.pageInfo, startCursor: null, endCursor: null } }
}

interface Connection<Edge> {
  readonly edges: readonly Edge[]
  readonly pageInfo: PageInfoShape
}

const named = (type: 'Person' | 'Interest', description: string, name: string) =>
  builder.objectRef<Named>(type).implement({
    description,
    fields: (t) => ({
      name: t.exposeString('name', { description: name }),
      summary: t.exposeString('summary', {
        description: 'What the memory says, as one line of at most 200 characters.',
      }),
      importance: t.exposeInt('importance', { description: 'Of the memory, 0 to 10.' }),
      memory: t.field({
        type: memoryInterface,
        resolve: (one) => one.memory,
        description: 'The most important memory about it; the newest of several.',
      }),
      memories: t.exposeInt('memories', { description: 'How many memories are about it.' }),
    }),
  })

/** The type `Person`. */
export const person = named(
  'Person',
  'Somebody whom memories are about.',
  'From a line "name: …" of the memory, or an entity’s name; else the first 50 characters.',
)

/** The type `Interest`. */
export const interest = named(
  'Interest',
  'Something that somebody likes to do.',
  'From a line "interest: …" or "hobby: …" of the memory; else the first 50 characters.',
)

function parseMoment(value: unknown): string {
  const result = moment.safeParse(value)
  if (!result.success)
    throw createGraphQLError(
      `DateTime ${result.error.issues[0]?.message ?? 'is invalid'}, such as 2026-11-21T09:30:00Z`,
    )
  return result.data
}

builder.scalarType('DateTime', {
  description: 'A moment as RFC 3339. Answers are in UTC.',
  serialize: (value) => parseMoment(value),
  parseValue: parseMoment,
})

builder.scalarType('JSONValue', {
  description: 'Any JSON value: an object, a list, a string, a number, true or false. Only in answers.',
  serialize: (value) => value,
  parseValue: () => {
    throw createGraphQLError('JSONValue is for answers only')
  },
})

function parseObject(value: unknown): object {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw createGraphQLError('JSON must be an object')
  return value
}

builder.scalarType('JSON', {
  description: 'A JSON object.',
  serialize: (value) => value as object,
  parseValue: parseObject,
  parseLiteral: (node: ValueNode, variables) => {
    if (node.kind !== Kind.OBJECT) throw createGraphQLError('JSON must be an object')
    return parseObject(valueFromASTUntyped(node, variables))
  },
})
