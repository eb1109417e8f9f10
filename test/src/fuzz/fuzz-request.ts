import { ROUTES } from '@daybook/gateway/routes'
import { schema } from '@daybook/gateway/schema/index'
import { randomOperation } from '@daybook/gateway/testing/random-operation'
import { anyCharacter } from '@daybook/memory/testing/any-character'
import { hostileRequest } from '@daybook/runtime/testing/hostile-request'
import { type Arbitrary, constantFrom, nat, oneof, record, string, tuple } from 'fast-check'

const PATHS = ROUTES.map(({ path }) => path)

/** A request that somebody may send, right, nearly right, or nonsense. */
export type FuzzRequest =
  | { readonly kind: 'graphql'; readonly body: string; readonly contentType: string }
  /** All bytes of a connection, as latin1. */
  | { readonly kind: 'raw'; readonly bytes: string }

/** What the requests know of the daemon. */
export interface Known {
  readonly host: string
  /** A key that opens one project. */
  readonly key: string
  /** Of memories, keys and projects, of others too. */
  readonly ids: readonly string[]
}

const PIECES = [
  ...'{}()[]$@!:|&"\\,#'.split(''),
  '"""',
  '...',
  '... on Note { text }',
  '__schema { types { name } }',
  '__typename',
  '@skip(if: true)',
  '@defer',
  'fragment f on Query { ...f }',
  'subscription',
  'null',
  '1e999',
  '\\u0000',
  '\uFEFF',
  '\uD800',
  '{'.repeat(50),
  'a: __typename '.repeat(60),
]

/** A change of a text. */
export interface Edit {
  readonly at: number
  readonly remove: number
  readonly insert: string
}

/** Any of them. */
export const edit: Arbitrary<Edit> = record({
  at: nat(1_000_000),
  remove: nat(12),
  insert: oneof(constantFrom('', '', ...PIECES), string({ unit: anyCharacter, maxLength: 6 })),
})

/** The text with the change. */
export const applyEdit = (text: string, { at, remove, insert }: Edit): string => {
  const from = at % (text.length + 1)
  return text.slice(0, from) + insert + text.slice(from + remove)
}

/** A text with some of its characters taken away, and others put in. */
const mutated = (text: Arbitrary<string>): Arbitrary<string> =>
  tuple(text, edit, edit, nat(1)).map(([whole, first, second, twice]) =>
    twice === 1 ? applyEdit(applyEdit(whole, first), second) : applyEdit(whole, first),
  )

/** Any request of the fuzz run. */
export function fuzzRequest({ host, key, ids }: Known): Arbitrary<FuzzRequest> {
  const operation = randomOperation(schema, ids)
  const whole = operation.map((one) => JSON.stringify(one))
  const otherDocument = tuple(operation, edit, edit).map(([{ query, variables }, first, second]) =>
    JSON.stringify({ query: applyEdit(applyEdit(query, first), second), variables }),
  )
  const json = constantFrom('application/json')
  const types = constantFrom(
    'application/json',
    'application/json; charset=utf-16',
    'application/graphql',
    'text/plain',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded',
    '',
  )
  const graphql = (body: Arbitrary<string>, contentType: Arbitrary<string>) =>
    record({ body, contentType }).map((one): FuzzRequest => ({ kind: 'graphql', ...one }))
  const authorization = [`Authorization: Bearer ${key}`, `Authorization: Bearer ${key}\r\nAccept: */*`]
  const withKey = [...authorization, ...authorization, `X-Daybook-Project: ${ids[0]}`]
  return oneof(
    { weight: 5, arbitrary: graphql(whole, json) },
    { weight: 4, arbitrary: graphql(otherDocument, json) },
    { weight: 1, arbitrary: graphql(mutated(whole), json) },
    { weight: 1, arbitrary: graphql(whole, types) },
    {
      weight: 4,
      arbitrary: hostileRequest(PATHS, withKey, host).map((bytes): FuzzRequest => ({ kind: 'raw', bytes })),
    },
  )
}
