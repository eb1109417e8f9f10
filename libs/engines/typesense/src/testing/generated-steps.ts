import type { Command, RememberInput, ReviseInput } from '@daybook/memory/commands'
import { isBlank } from '@daybook/memory/text-rules'
import * as fc from 'fast-check'

/** Words with a common stem, and text that is hard to store, split into words or quote. */
const words = fc.constantFrom(
  'login',
  'logins',
  'the',
  'jwt-validation',
  "o'brien",
  'back\\slash',
  '`backtick`',
  '<b>bold</b>',
  '🎉',
  'straße',
  '\u0001',
  '{"json": [1]}\nline',
)
/** Up to 80 words; the harness's embedder splits texts after 32. */
const text = fc
  .array(words, { minLength: 1, maxLength: 80 })
  .map((parts) => parts.join(' '))
  .filter((one) => !isBlank(one))
const label = fc.constantFrom('red', 'with blank', 'quote"d', '`', 'C++')
const moment = fc
  .integer({ min: Date.parse('0001-01-02'), max: Date.parse('9999-12-30') })
  .map((time) => new Date(time).toISOString())

const common = fc.record(
  {
    labels: fc.uniqueArray(label, { maxLength: 3 }),
    categories: fc.uniqueArray(label, { maxLength: 2 }),
    importance: fc.integer({ min: 0, max: 10 }),
    context: fc.option(fc.constantFrom('repo', 'chat 1')),
    agent: fc.option(fc.constantFrom('ada', 'bob')),
    occurredAt: fc.option(moment),
    expiresAt: fc.option(moment),
  },
  { requiredKeys: [] },
)
const content = fc.oneof(
  text.map((one) => ({ kind: 'note', fields: { text: one } })),
  fc
    .record({ name: fc.constantFrom('auth-flow', 'build'), summary: text })
    .map((fields) => ({ kind: 'stash', fields })),
)
/** A random input to remember. */
export const rememberInput: fc.Arbitrary<RememberInput> = fc
  .tuple(content, common)
  .map(([given, more]) => ({ ...more, content: given }))

/** A command to one of six memories. It may fail, as the memory may have another kind or not exist. */
export type Step = { readonly memory: number } & (
  | { readonly do: 'remember'; readonly input: RememberInput }
  | { readonly do: 'revise'; readonly input: ReviseInput }
  | { readonly do: 'forget' }
  | { readonly do: 'restore' }
)
const memory = fc.nat(5)
/** A random step. */
export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ memory, do: fc.constant('remember' as const), input: rememberInput }) },
  {
    weight: 4,
    arbitrary: fc.record({
      memory,
      do: fc.constant('revise' as const),
      input: fc.oneof(common, rememberInput),
    }),
  },
  { weight: 2, arbitrary: fc.record({ memory, do: fc.constant('forget' as const) }) },
  { weight: 2, arbitrary: fc.record({ memory, do: fc.constant('restore' as const) }) },
)

/** The command of a step. @param ids of the six memories */
export function commandOf(ids: readonly string[], one: Step): Command {
  const id = ids[one.memory] ?? ''
  return one.do === 'remember' || one.do === 'revise'
    ? ({ type: one.do, id, input: one.input } as Command)
    : { type: one.do, id }
}
