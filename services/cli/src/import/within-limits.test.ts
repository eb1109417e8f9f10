import { COMMON_FIELDS } from '@daybook/memory/common-fields'
import { checkContent } from '@daybook/memory/content'
import { characters } from '@daybook/memory/text-rules'
import { expect, test } from 'vitest'
import type { KeyedInput } from './formats/format.ts'
import { withinLimits } from './within-limits.ts'

const note = (more: object) =>
  ({ content: { note: { text: 'Pour over.' } }, idempotencyKey: 'k', ...more }) as KeyedInput

const many = Array.from({ length: 40 }, (_, index) => `tag-${index}`)

/** What the domain refuses of an input, by its own checks. */
function refused({ content, idempotencyKey, ...common }: KeyedInput): string[] {
  const [[kind, fields] = ['', {}]] = Object.entries(content)
  checkContent({ kind, fields: fields as Record<string, unknown> })
  const checks: Record<string, { safeParse(value: unknown): { success: boolean } }> = COMMON_FIELDS
  const wrong = Object.entries(common).filter(
    ([name, value]) => value != null && checks[name]?.safeParse(value).success !== true,
  )
  return [...wrong.map(([name]) => name), ...(characters(idempotencyKey) > 255 ? ['idempotencyKey'] : [])]
}

test('what fits stays as it is', () => {
  const input = note({ labels: ['a'], context: 'shop', metadata: { path: 'a.md' } })
  expect(withinLimits(input, [])).toEqual({ inputs: [input], leftOut: [] })
})

test('labels that are too many or too long stay in the metadata; those asked for stay labels', () => {
  const { inputs, leftOut } = withinLimits(note({ labels: [...many, 'x'.repeat(65), 'mem0', ' '] }), ['mem0'])
  expect(inputs[0]?.labels).toEqual([...many.slice(0, 31), 'mem0'])
  expect(inputs[0]?.metadata).toEqual({ moreLabels: [...many.slice(31), 'x'.repeat(65)] })
  expect(leftOut).toEqual(Array.from({ length: 10 }, () => 'labels (kept in the metadata)'))
})

test('labels that repeat are one, and none is left out for it', () => {
  const { inputs, leftOut } = withinLimits(note({ labels: [...many.slice(0, 32), 'tag-1'] }), [])
  expect(inputs[0]?.labels).toEqual(many.slice(0, 32))
  expect(leftOut).toEqual([])
})

test('a long name is shortened, and whole in the metadata', () => {
  const long = '🐝'.repeat(300)
  const { inputs, leftOut } = withinLimits(
    note({
      context: long,
      agent: long,
      content: { document: { title: long, content: 'x', externalId: long } },
    }),
    [],
  )
  expect(inputs).toMatchObject([
    {
      context: '🐝'.repeat(255),
      content: { document: { title: '🐝'.repeat(255) } },
      metadata: { context: long, agent: long, title: long, externalId: long },
    },
  ])
  expect(leftOut).toEqual(Array.from({ length: 4 }, () => 'long names (whole in the metadata)'))
})

test('two long names that begin alike stay two where they name the original', () => {
  const of = (end: string) =>
    withinLimits(
      note({
        content: { document: { content: 'x', externalId: 'a'.repeat(300) + end } },
        idempotencyKey: 'a'.repeat(300) + end,
      }),
      [],
    ).inputs[0]
  const [one, other] = [of('1'), of('2')]
  expect(one?.content).not.toEqual(other?.content)
  expect(one?.idempotencyKey).not.toBe(other?.idempotencyKey)
})

test('of metadata the small fields stay, and those that are too long or too deep go', () => {
  const deep = Array.from({ length: 40 }).reduce<object>((inner) => ({ inner }), {})
  const { inputs, leftOut } = withinLimits(
    note({
      metadata: {
        deep,
        huge: 'x'.repeat(20_000),
        half: 'y'.repeat(9_000),
        other: 'z'.repeat(9_000),
        path: 'a.md',
      },
    }),
    [],
  )
  expect(Object.keys(inputs[0]?.metadata ?? {})).toEqual(['half', 'path'])
  expect(leftOut).toEqual(Array.from({ length: 3 }, () => 'metadata fields (too long)'))
})

test('a text that is too long goes on in notes of its own', () => {
  const { inputs, leftOut } = withinLimits(
    note({
      content: { fact: { summary: 'Long', content: 'lantern '.repeat(20_000) } },
      onExisting: 'KEEP_BOTH',
    }),
    [],
  )
  expect(inputs.map(({ content, idempotencyKey }) => [Object.keys(content)[0], idempotencyKey])).toEqual([
    ['fact', 'k'],
    ['note', 'k:1'],
    ['note', 'k:2'],
  ])
  expect(leftOut).toEqual([])
})

test('whatever an input holds, the domain takes what is left of it', () => {
  const long = '日本 '.repeat(15_000)
  for (const content of [
    { note: { text: long } },
    { document: { title: long, content: long, externalId: long } },
    { entity: { name: long, type: long, content: long } },
    { decision: { topic: long, decision: long } },
    { session: { summary: long, status: undefined } },
  ]) {
    const given = note({
      content,
      agent: long,
      context: long,
      labels: [...many, long],
      categories: [...many, long],
      metadata: { long },
      idempotencyKey: long,
    })
    expect(withinLimits(given, []).inputs.flatMap(refused)).toEqual([])
  }
})

test('what is of another form is left to the API, which names it', () => {
  const odd = note({
    labels: 'bees',
    categories: [7],
    context: 42,
    metadata: 'none',
    content: { note: { text: 7 } },
  })
  expect(withinLimits(odd, [])).toEqual({ inputs: [odd], leftOut: [] })
})
