import { KIND_NAMES, type KindName } from '@daybook/memory/kinds/index'
import { expect, test } from 'vitest'
import { kindOptions } from './kind-options.ts'

const MAIN: Readonly<Record<KindName, string>> = {
  stash: 'summary',
  insight: 'content',
  decision: 'decision',
  learning: 'correctPattern',
  error: 'message',
  session: 'summary',
  todo: 'description',
  note: 'text',
  fact: 'summary',
  document: 'content',
  entity: 'content',
}

test.each(KIND_NAMES)('the text of a %s is its main field', (kind) => {
  expect(
    kindOptions(kind)
      .filter(({ main }) => main)
      .map(({ field }) => field),
  ).toEqual([MAIN[kind]])
})

const flags = (kind: KindName) => kindOptions(kind).map(({ flag }) => flag)

test('lists are given one by one, and names are in kebab case', () => {
  expect(flags('stash')).toEqual(['name', 'summary', 'file'])
  expect(flags('session')).toEqual(['summary', 'key-change', 'status'])
  expect(flags('error')).toEqual(['message', 'root-cause', 'fix'])
})

test('a field that is called as one of all memories gets a name of its own', () => {
  expect(kindOptions('todo').find(({ field }) => field === 'context')?.flag).toBe('context-text')
  expect(kindOptions('learning').find(({ field }) => field === 'context')?.flag).toBe('context-text')
})
