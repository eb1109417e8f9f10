import type { MemoryWithContent } from '@daybook/client/documents/memory-content'
import { KIND_NAMES } from '@daybook/memory/kinds/index'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { kindOptions } from '../remember/remember-input.ts'
import { inputFromMemoryFile, isMemoryFile, memoryFile, parseMarkdown, toMarkdown } from './memory-file.ts'

const words = fc
  .string({ unit: 'grapheme', minLength: 1 })
  .filter((text) => text.trim() !== '' && !text.includes('\u0000'))
/** Texts that look like something else in YAML or Markdown. */
const awkward = fc.constantFrom(
  '---',
  '---\nkind: note\n---\n',
  'yes',
  'null',
  '2024-01-01',
  '1e3',
  ': [',
  '# x',
  'a\n\n',
  '\n',
)
const text = fc.oneof(
  words,
  awkward.map((one) => `${one} `),
  awkward.map((one) => `x${one}`),
)
const lists = fc.uniqueArray(words, { maxLength: 3 })

const memories = fc.constantFrom(...KIND_NAMES).chain((kind) => {
  const fields = kindOptions(kind).map(({ field, shape, required }) => {
    const value = Array.isArray(shape)
      ? fc.constantFrom(...shape.map((word) => word.toUpperCase()))
      : shape === 'strings'
        ? lists
        : shape === 'moment'
          ? fc.constant('2026-05-01T10:00:00.000Z')
          : text
    return [field, required ? value : fc.option(value, { nil: undefined })] as const
  })
  return fc.record({
    id: fc.uuid({ version: 7 }).map((id) => `${kind}:${id}`),
    kind: fc.constant(kind.toUpperCase()),
    content: fc.record({ [kind]: fc.record(Object.fromEntries(fields)) }),
    agent: fc.option(words),
    labels: lists,
    categories: lists,
    importance: fc.integer({ min: 0, max: 10 }),
    context: fc.option(words),
    metadata: fc.dictionary(
      words,
      fc.jsonValue({ maxDepth: 2 }).filter((value) => !Object.is(value, -0)),
    ),
    occurredAt: fc.option(fc.constant('2026-05-01T10:00:00.000Z')),
    expiresAt: fc.constant(null),
    createdAt: fc.constant('2026-05-02T10:00:00.000Z'),
    updatedAt: fc.constant('2026-05-03T10:00:00.000Z'),
    version: fc.integer({ min: 1 }),
  })
})

/** Without what a file leaves out because it says nothing. */
const said = (input: object) =>
  Object.fromEntries(
    Object.entries(JSON.parse(JSON.stringify(input)) as object).filter(
      ([, value]) => value !== null && (typeof value !== 'object' || Object.keys(value as object).length > 0),
    ),
  )

describe('a memory as a Markdown file', () => {
  test('says all of it, and is read back the same', () => {
    fc.assert(
      fc.property(memories, (given) => {
        const memory = given as unknown as MemoryWithContent
        const file = parseMarkdown(toMarkdown(memoryFile(memory)))
        expect(isMemoryFile(file)).toBe(true)
        const { id, kind: _, createdAt, updatedAt, version, content, ...common } = given
        expect([createdAt, updatedAt, version]).toEqual([
          file.fields['createdAt'],
          file.fields['updatedAt'],
          file.fields['version'],
        ])
        const readBack = inputFromMemoryFile(file)
        if (typeof readBack === 'string') throw new Error(readBack)
        const { content: own, ...others } = readBack
        expect(said(others)).toEqual({ ...said(common), idempotencyKey: `markdown:${id}` })
        const [[kind, fields] = ['', {}]] = Object.entries(own)
        expect([kind, said(fields)]).toEqual([Object.keys(content)[0], said(Object.values(content)[0] ?? {})])
      }),
      { numRuns: 150 },
    )
  })

  test('what a person adds to the front matter goes to the metadata', () => {
    const file = parseMarkdown(
      '---\nkind: note\nproject: home\nlabels: [a]\noccurredAt: 2026-05-01\n---\nBuy milk\n',
    )
    expect(inputFromMemoryFile(file)).toMatchObject({
      content: { note: { text: 'Buy milk' } },
      labels: ['a'],
      occurredAt: '2026-05-01T00:00:00.000Z',
      metadata: { project: 'home' },
    })
  })

  test('a moment that cannot be read is named', () => {
    expect(inputFromMemoryFile(parseMarkdown('---\nkind: note\noccurredAt: soon\n---\nx'))).toBe(
      'occurredAt is neither a date nor a time: soon',
    )
  })
})

describe('parseMarkdown', () => {
  test('a file without front matter is all text', () => {
    expect(parseMarkdown('# A\n\n---\nb\n')).toEqual({ fields: {}, body: '# A\n\n---\nb' })
    expect(parseMarkdown('\uFEFF---\r\ntitle: x\r\n---\r\nb\r\n')).toEqual({
      fields: { title: 'x' },
      body: 'b',
    })
  })

  test('front matter that is no list of names stays text, and is told', () => {
    expect(parseMarkdown('---\n- a\n---\nb')).toEqual({
      fields: {},
      body: '---\n- a\n---\nb',
      problem: expect.stringContaining('no list of names'),
    })
    expect(parseMarkdown('---\n: [\n---\nb')).toMatchObject({ fields: {}, body: '---\n: [\n---\nb' })
  })
})
