import { describe, expect, test } from 'vitest'
import { differences, fill, missingLine } from './compare.ts'
import { readPage } from './page.ts'

describe('differences', () => {
  test('an answer may have more fields, but no list may be longer', () => {
    expect(differences({ a: 1, b: 2 }, { a: 1 }, new Map())).toEqual([])
    expect(differences({ a: [1, 2] }, { a: [1] }, new Map())).toEqual(['data.a: expected [1], got [1,2]'])
  })

  test('names the path of a value that differs or is missing', () => {
    expect(differences({ a: [{ b: 'x' }] }, { a: [{ b: 'y' }] }, new Map())).toEqual([
      'data.a[0].b: expected "y", got "x"',
    ])
    expect(differences({ a: null }, { a: '…' }, new Map())).toEqual(['data.a: got nothing'])
    expect(differences({ a: 0 }, { a: null }, new Map())).toEqual(['data.a: expected null, got 0'])
  })

  test('a name takes a value once, and has it from then on', () => {
    const values = new Map<string, string>()
    expect(differences(['note:1', 'note:1'], ['<id>', '<id>'], values)).toEqual([])
    expect(differences(['note:2'], ['<id>'], values)).toEqual(['data[0]: expected "<id>", got "note:2"'])
    expect(fill('get <id>, not <other>', values)).toBe('get note:1, not <other>')
  })

  test('… stands for anything, other signs for themselves', () => {
    expect(differences('a (b) c-d', '… (b) c-…', new Map())).toEqual([])
    expect(differences('a b', 'a.b', new Map())).toHaveLength(1)
  })
})

describe('missingLine', () => {
  test('lines come in order, with other lines between', () => {
    expect(missingLine('one\ntwo\nthree', 'one\nthree', new Map())).toBeNull()
    expect(missingLine('one\ntwo\nthree', 'three\none', new Map())).toBe('one')
    expect(missingLine('id   note:1', 'id <id>', new Map([['id', 'note:1']]))).toBeNull()
  })

  test('notes the values that lines name', () => {
    const values = new Map<string, string>()
    expect(missingLine('undo note:1 now\nnote:1', 'undo <id>\n<id>', values)).toBeNull()
    expect(values).toEqual(new Map([['id', 'note:1']]))
  })
})

describe('readPage', () => {
  const page = '# T\n\n## 1. A\n\n```sh\nls\n```\n```text\nx\n```\n\n## B\n\n```graphql\n{ a }\n```\n'

  test('sections have their examples, with what is expected and the line', () => {
    expect(readPage(page).map(({ heading, examples }) => [heading, examples])).toEqual([
      ['', []],
      ['1. A', [{ language: 'sh', code: 'ls\n', expected: 'x\n', notRun: null, line: 5 }]],
      ['B', [{ language: 'graphql', code: '{ a }\n', expected: null, notRun: null, line: 14 }]],
    ])
  })

  test('an answer that belongs to nothing is refused', () => {
    expect(() => readPage('## A\n\n```json\n{}\n```\n')).toThrow('line 3')
    expect(() => readPage('## A\n\n```sh\nls\n```\n```json\n{}\n```\n')).toThrow('line 6')
    expect(readPage('## A\n\n```json\n{}\n```\n', { otherJson: true })[0]?.examples).toEqual([])
  })

  test('a mark says why, and no command hides in another block', () => {
    const marked = readPage('```sh not-run="needs a cluster"\nls\n```\n')
    expect(marked[0]?.examples).toMatchObject([{ code: 'ls\n', notRun: 'needs a cluster' }])
    for (const fence of ['sh not-run', 'sh not-run=""', 'sh not-run="a `b`"', 'sh title="x"'])
      expect(() => readPage(`\`\`\`${fence}\nls\n\`\`\`\n`)).toThrow('line 1')
    expect(() => readPage('```\nA=b npm start\n```\n')).toThrow('line 1')
    expect(() => readPage('```bash\nls\n```\n')).toThrow('line 1')
    expect(readPage('```\n a drawing\n```\n')[0]?.examples).toEqual([])
  })
})
