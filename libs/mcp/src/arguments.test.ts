import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { argumentsOf } from './json-schema.ts'
import { TOOLS } from './tools/index.ts'

function read(tool: string, given: unknown): unknown {
  const { input, accept } = TOOLS.find(({ name }) => name === tool)!
  const result = argumentsOf(input as z.ZodType, accept)['~standard'].validate(given)
  return result instanceof Promise ? result : 'value' in result ? result.value : result.issues
}

const note = (text: string) => ({ kind: 'note', fields: { text } })

describe('remember takes what clients send', () => {
  it.each([
    ['the form of its schema', { memories: [note('a')] }],
    ['a list as JSON text', { memories: JSON.stringify([note('a')]) }],
    ['each memory as JSON text', { memories: [JSON.stringify(note('a'))] }],
    ['the fields as JSON text', { memories: [{ kind: 'note', fields: '{"text":"a"}' }] }],
    ['one memory instead of a list', { memories: note('a') }],
    ['bare texts', { memories: ['a'] }],
    ['one bare text', { memories: 'a' }],
    ['a text alone', { text: 'a' }],
    ['the fields beside the kind', { kind: 'note', text: 'a' }],
    ['a kind in capitals, as answers print it', { memories: [{ kind: 'NOTE', text: 'a' }] }],
    [
      'null and "" for what is optional',
      { memories: [{ ...note('a'), labels: null, context: '' }], idempotencyKey: null },
    ],
  ])('%s', (_, given) => {
    expect(read('remember', given)).toEqual({ memories: [note('a')] })
  })

  it('fields of the kind win over what all memories have, and one label is a list', () => {
    expect(read('remember', { kind: 'todo', description: 'buy', context: 'shop', labels: 'home' })).toEqual({
      memories: [{ kind: 'todo', fields: { description: 'buy', context: 'shop' }, labels: ['home'] }],
    })
  })

  it('a text that only looks like JSON is a note', () => {
    expect(read('remember', { memories: ['{ not json'] })).toEqual({ memories: [note('{ not json')] })
  })

  it.each([{}, { memories: [] }, { memories: 7 }, { memories: [{ kind: 'nothing', text: 'a' }] }])(
    'and refuses %j',
    (given) => {
      expect(read('remember', given)).toEqual(
        expect.arrayContaining([expect.objectContaining({ path: expect.anything() })]),
      )
    },
  )
})

describe('other tools do, too', () => {
  it.each([
    [{ limit: '5' }, { limit: 5 }],
    [{ kinds: null, limit: null, context: null }, { limit: 10 }],
    [
      { kinds: [], createdAfter: '' },
      { limit: 10, kinds: [] },
    ],
    [
      { kinds: 'INSIGHT', mode: 'keyword' },
      { limit: 10, kinds: ['insight'], mode: 'KEYWORD' },
    ],
    [{ includeForgotten: 'true' }, { limit: 10, includeForgotten: true }],
    [{ createdAfter: '2026-11-25' }, { limit: 10, createdAfter: '2026-11-25T00:00:00.000Z' }],
    [{ createdAfter: 'soon' }, { limit: 10, createdAfter: 'soon' }],
  ])('search with %j', (given, taken) => {
    expect(read('search', { query: 'kiosk', ...given })).toEqual({ query: 'kiosk', ...taken })
  })

  it('times may be how long ago', () => {
    const { createdAfter } = read('search', { query: 'x', createdAfter: '1h' }) as { createdAfter: string }
    expect(Date.now() - Date.parse(createdAfter)).toBeGreaterThanOrEqual(3_600_000)
  })

  it('a number that is none stays, and is refused', () => {
    expect(read('search', { query: 'x', limit: 'many' })).toEqual([
      expect.objectContaining({ path: ['limit'] }),
    ])
  })

  it('revise takes the fields beside the id', () => {
    expect(read('revise', { changes: [{ id: 'note:1', text: 'b', importance: '7' }] })).toEqual({
      changes: [{ id: 'note:1', fields: { text: 'b' }, importance: 7 }],
    })
  })
})

describe('search takes what clients send', () => {
  it.each([
    ['words for nothing', { limit: 'null', minScore: 'undefined', kinds: 'null', labelsAny: '' }, {}],
    [
      'names with commas',
      { labelsAny: 'alpha, two words', kinds: 'note,Decision' },
      { labelsAny: ['alpha', 'two words'], kinds: ['note', 'decision'] },
    ],
  ])('%s', (_, given, read_) => {
    expect(read('search', { query: 'x', ...given })).toEqual({ query: 'x', limit: 10, ...read_ })
  })

  it('an argument that it does not have is named, with those that it has', () => {
    expect(read('search', { query: 'x', dateStart: '2027-01-01' })).toEqual([
      {
        message: expect.stringMatching(/^There is no argument "dateStart"\. The arguments: query, kinds, /u),
      },
    ])
    expect(read('ping', { random_string: 'dummy' })).toEqual({})
  })

  it('a text that says null stays a text', () => {
    const edit = { command: 'str_replace', path: '/memories/a.md', old_str: 'none', new_str: 'null' }
    expect(read('memory', edit)).toEqual(edit)
  })

  it('undo takes times as the others do', () => {
    expect(read('undo', { since: '2026-11-21' })).toMatchObject({
      since: expect.stringMatching(/^2026-11-21T/u),
    })
  })
})
