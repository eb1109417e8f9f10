import { anyCharacter } from '@daybook/memory/testing/any-character'
import { type Arbitrary, constant, constantFrom, dictionary, oneof, option, record, string } from 'fast-check'
import {
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'

/** An operation of one field, with arguments as the schema allows them and clients would not send them. */
export interface RandomOperation {
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
}

/** @param ids of memories that are there, as clients write them */
export function randomOperation(schema: GraphQLSchema, ids: readonly string[]): Arbitrary<RandomOperation> {
  const fields = (['query', 'mutation'] as const).flatMap((kind) => {
    const type = kind === 'query' ? schema.getQueryType() : schema.getMutationType()
    return Object.values(type?.getFields() ?? {}).map((field) => operationOf(kind, field, ids))
  })
  return oneof(...fields)
}

function operationOf(
  kind: 'query' | 'mutation',
  { name, args, type }: GraphQLField<unknown, unknown>,
  ids: readonly string[],
): Arbitrary<RandomOperation> {
  const declared = args.map((arg) => `$${arg.name}: ${String(arg.type)}`).join(', ')
  const passed = args.map((arg) => `${arg.name}: $${arg.name}`).join(', ')
  const query = `${kind} ${declared && `(${declared})`} { ${name}${passed && `(${passed})`} ${selectionOf(type, 2)} }`
  return record(Object.fromEntries(args.map((arg) => [arg.name, valueOf(arg.type, ids, 3)])), {
    requiredKeys: args.filter((arg) => isNonNullType(arg.type)).map((arg) => arg.name),
  }).map((variables) => ({ query, variables }))
}

/** What needs no arguments of its own, some levels deep. */
function selectionOf(type: GraphQLOutputType, depth: number): string {
  const named = getNamedType(type)
  if (!isCompositeType(named)) return ''
  if (!isObjectType(named)) return '{ __typename }'
  const parts = Object.values(named.getFields())
    .filter(({ args, type: of }) => args.length === 0 && (depth > 0 || isLeafType(getNamedType(of))))
    .map(({ name, type: of }) => `${name} ${selectionOf(of, depth - 1)}`)
  return `{ __typename ${parts.join(' ')} }`
}

const TEXTS = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\u200B',
  '\u2060\uFEFF',
  '\uD800',
  '\u202E',
  'x'.repeat(300),
  'x'.repeat(70_000),
  'a_'.repeat(200),
  '%',
  '_',
  "'; drop table events; --",
  '"',
  '"unclosed',
  '-',
  '-x',
  '\\',
  '`',
  '*',
  '( & | ! )',
  ':*',
  '🙂',
  '١٢٣',
  '../..',
  'NaN',
  'null',
  'pgvector',
  'typesense',
  'default',
  'test-hash/64',
  'minilm',
  '99999999999999999999',
  '-1',
  '9007199254740993',
  '2147483648',
  '1e400',
  '0x1',
  '9999-12-31T23:59:59.999Z',
  '0000-01-01T00:00:00Z',
  '10000-01-01T00:00:00Z',
  '2024-02-30T00:00:00Z',
  '2024-01-01T00:00:00+99:99',
]
const NUMBERS = [-2_147_483_648, -1, 0, 1, 2, 50, 100, 101, 1_000, 1_001, 65_536, 2_147_483_647]
const FLOATS = [...NUMBERS, 0.5, -0.1, 1e308, 5e-324, 1e21]

const text = (ids: readonly string[]) =>
  oneof(constantFrom(...TEXTS, ...ids), string({ unit: anyCharacter, maxLength: 20 }))

function valueOf(type: GraphQLInputType, ids: readonly string[], depth: number): Arbitrary<unknown> {
  if (isNonNullType(type)) return valueOf(type.ofType, ids, depth)
  if (isListType(type)) {
    const item = valueOf(type.ofType, ids, depth)
    return oneof(
      constant([]),
      item.map((one) => [one]),
      record({ a: item, b: item }).map(({ a, b }) => [a, b, a]),
    )
  }
  if (isEnumType(type)) return constantFrom(...type.getValues().map(({ name }) => name))
  if (isInputObjectType(type)) return depth === 0 ? constant({}) : inputOf(type, ids, depth - 1)
  if (type.name === 'Int') return constantFrom(...NUMBERS)
  if (type.name === 'Float') return constantFrom(...FLOATS)
  if (type.name === 'Boolean') return constantFrom(true, false)
  if (type.name === 'JSON' || type.name === 'JSONObject')
    return dictionary(text(ids), oneof(text(ids), constantFrom(...FLOATS), constant(null)), { maxKeys: 3 })
  return text(ids)
}

function inputOf(type: GraphQLInputObjectType, ids: readonly string[], depth: number): Arbitrary<unknown> {
  const fields = Object.values(type.getFields())
  if (type.isOneOf)
    return oneof(
      ...fields.map(({ name, type: of }) => valueOf(of, ids, depth).map((value) => ({ [name]: value }))),
    )
  return record(
    Object.fromEntries(
      fields.map(({ name, type: of }) => {
        const value = valueOf(of, ids, depth)
        // Most are left out, so that what the others say is looked at.
        return [name, isNonNullType(of) ? value : option(value, { nil: undefined, freq: 1 })]
      }),
    ),
  )
}
