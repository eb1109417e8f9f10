import * as fc from 'fast-check'
import type { Command, RememberInput, ReviseInput } from '../commands.ts'
import type { CommonFieldName } from '../common-fields.ts'
import { isBlank } from '../text-rules.ts'

/** Words with a common stem, stop words, and text that is hard to store, split into words or quote. */
const words = fc.constantFrom(
  'login',
  'logins',
  'Login!',
  'the',
  'of',
  'jwt-validation',
  "o'brien",
  'back\\slash',
  '`backtick`',
  '<b>bold</b>',
  '🎉',
  'straße',
  '2023-05-08',
  'https://example.org/a?b=c',
  '"quoted"',
  '\u0001',
  '{"json": [1]}\nline',
)
const label = fc.constantFrom('red', 'blue', 'with blank', 'quote"d', '`', 'C++', '{x,y}')
const moment = fc
  .integer({ min: Date.parse('0001-01-02'), max: Date.parse('9999-12-30') })
  .map((time) => new Date(time).toISOString())
/** Where nothing expires while a test runs: what has passed is refused. */
const later = fc
  .integer({ min: Date.parse('2900-01-01'), max: Date.parse('9999-12-30') })
  .map((time) => new Date(time).toISOString())

/** Metadata that the journal accepts: no NUL, no lone surrogates, no -0, which JSON does not preserve. */
function wellFormed(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll('\\u0000', '').toWellFormed().replaceAll('\\ud', ''))
}

const COMMON_VALUES = {
  labels: fc.uniqueArray(label, { maxLength: 3 }),
  categories: fc.uniqueArray(label, { maxLength: 2 }),
  importance: fc.integer({ min: 0, max: 10 }),
  context: fc.option(fc.constantFrom('repo', 'chat 1')),
  agent: fc.option(fc.constantFrom('ada', 'bob')),
  occurredAt: fc.option(moment),
  expiresAt: fc.option(later),
  metadata: fc.dictionary(fc.constantFrom('a', 'b'), fc.jsonValue({ maxDepth: 1 }).map(wellFormed), {
    maxKeys: 2,
  }),
} satisfies Record<Exclude<CommonFieldName, 'supersedes'>, fc.Arbitrary<unknown>>
const common = fc.record(COMMON_VALUES, { requiredKeys: [] })

/** A random input to remember: a note or a stash. @param maxWords of its text */
export function rememberInputs(maxWords: number): fc.Arbitrary<RememberInput> {
  const text = fc
    .array(words, { minLength: 1, maxLength: maxWords })
    .map((parts) => parts.join(' '))
    .filter((one) => !isBlank(one))
  const content = fc.oneof(
    text.map((one) => ({ kind: 'note', fields: { text: one } })),
    fc
      .record({ name: fc.constantFrom('auth-flow', 'build'), summary: text })
      .map((fields) => ({ kind: 'stash', fields })),
  )
  // Each step is about its own memory, whatever the others are called.
  return fc
    .tuple(content, common)
    .map(([given, more]) => ({ ...more, content: given, onExisting: 'KEEP_BOTH' }))
}

/** A command to one of six memories. It may fail, as the memory may have another kind or not exist. */
export type Step = { readonly memory: number } & (
  | { readonly do: 'remember'; readonly input: RememberInput }
  | { readonly do: 'revise'; readonly input: ReviseInput }
  | { readonly do: 'forget' }
  | { readonly do: 'restore'; readonly version: number | undefined }
)

/** A random step. @param maxWords of a text */
export function generatedSteps(maxWords: number): fc.Arbitrary<Step> {
  const memory = fc.nat(5)
  const input = rememberInputs(maxWords)
  const version = fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined })
  return fc.oneof(
    { weight: 3, arbitrary: fc.record({ memory, do: fc.constant('remember' as const), input }) },
    {
      weight: 4,
      arbitrary: fc.record({ memory, do: fc.constant('revise' as const), input: fc.oneof(common, input) }),
    },
    { weight: 2, arbitrary: fc.record({ memory, do: fc.constant('forget' as const) }) },
    { weight: 2, arbitrary: fc.record({ memory, do: fc.constant('restore' as const), version }) },
  )
}

/** The command of a step. @param ids of the six memories */
export function commandOf(ids: readonly string[], one: Step): Command {
  const id = ids[one.memory] ?? ''
  if (one.do === 'remember' || one.do === 'revise') return { type: one.do, id, input: one.input } as Command
  if (one.do === 'forget') return { type: 'forget', id }
  return { type: 'restore', id, ...(one.version === undefined ? {} : { version: one.version }) }
}
