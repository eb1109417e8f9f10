import { anyCharacter } from '@daybook/memory/testing/any-character'
import { type Arbitrary, array, constantFrom, integer, nat, oneof, record, string } from 'fast-check'

/** One change of a value of JSON, wherever it hits. */
export interface Mutation {
  /** Which part of the value is meant, among all of its parts. */
  readonly at: number
  readonly how: 'replace' | 'remove' | 'repeat' | 'move' | 'add' | 'number' | 'text'
  /** What `replace`, `add` and `text` put there. */
  readonly value: unknown
  /** What `number` adds. */
  readonly by: number
}

const nested = (levels: number): unknown => (levels === 0 ? 0 : [nested(levels - 1)])

const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 31,
  2 ** 53,
  1e308,
  '',
  ' ',
  '\u0000',
  '\uD800',
  '\u001B]0;x\u0007\u202E',
  'x'.repeat(70_000),
  '2026-02-30T00:00:00.000Z',
  '+275760-09-13T00:00:00.000Z',
  'f'.repeat(64),
  'F'.repeat(64),
  'VALIDATION',
  'DIVERGED',
  'PROJECT_DELETED',
  '__proto__',
  [],
  {},
  [null],
  { type: 'undo' },
  { __proto__: null, constructor: 1 },
  Array.from({ length: 5_000 }, (_, index) => index),
  nested(200),
]

/** @param known texts that mean something to the one who reads the value, such as ids */
export function mutation(known: readonly string[]): Arbitrary<Mutation> {
  return record({
    at: nat(1_000_000),
    how: constantFrom<Mutation['how']>(
      'replace',
      'replace',
      'replace',
      'remove',
      'repeat',
      'move',
      'add',
      'number',
      'text',
    ),
    value: oneof(constantFrom(...ODD_VALUES, ...known), string({ unit: anyCharacter, maxLength: 8 })),
    by: oneof(constantFrom(1, -1, 2 ** 31, 2 ** 53, -(2 ** 31), 0.5), integer()),
  })
}

/** None, one or a few. */
export const mutations = (known: readonly string[]): Arbitrary<readonly Mutation[]> =>
  oneof(
    { weight: 1, arbitrary: array(mutation(known), { maxLength: 0 }) },
    { weight: 6, arbitrary: array(mutation(known), { minLength: 1, maxLength: 1 }) },
    { weight: 3, arbitrary: array(mutation(known), { minLength: 2, maxLength: 4 }) },
  )

/** The value with all of the changes. What is given stays as it is. */
export function mutate<T>(value: T, changes: readonly Mutation[]): T {
  const root = { value: structuredClone(value) as unknown }
  for (const change of changes) apply(root, change)
  return root.value as T
}

interface Place {
  readonly parent: Record<string, unknown>
  readonly name: string
}

function placesOf(parent: Record<string, unknown>, found: Place[] = []): Place[] {
  for (const [name, value] of Object.entries(parent)) {
    found.push({ parent, name })
    if (found.length > 5_000) break
    if (typeof value === 'object' && value !== null) placesOf(value as Record<string, unknown>, found)
  }
  return found
}

function apply(root: { value: unknown }, { at, how, by, ...change }: Mutation): void {
  const value = structuredClone(change.value)
  const places = placesOf(root)
  if (places.length === 0) return
  const { parent, name } = places[at % places.length] as Place
  const other = places[(at * 7 + 3) % places.length] as Place
  const there = parent[name]
  switch (how) {
    case 'remove':
      if (Array.isArray(parent)) parent.splice(Number(name), 1)
      else delete parent[name]
      return
    case 'repeat':
      if (Array.isArray(parent)) parent.push(structuredClone(there))
      else parent[name] = [there, structuredClone(there)]
      return
    case 'move':
      parent[name] = structuredClone(other.parent[other.name])
      return
    case 'add':
      if (typeof there === 'object' && there !== null) Object.assign(there, { added: value })
      else parent['added'] = value
      return
    case 'number':
      parent[name] = typeof there === 'number' ? there + by : by
      return
    case 'text':
      parent[name] = typeof there === 'string' ? changedText(there, at, value) : value
      return
    case 'replace':
      parent[name] = value
  }
}

function changedText(text: string, at: number, value: unknown): string {
  if (at % 3 === 0) return text.toUpperCase()
  const from = at % (text.length + 1)
  return at % 3 === 1
    ? text.slice(0, from)
    : text.slice(0, from) + (JSON.stringify(value) ?? '') + text.slice(from)
}
