import { expect, test } from 'vitest'
import { commandFields, commandName, kindOf } from './command-words.ts'

test('a change is told in words, whatever its command holds', () => {
  const revise = {
    type: 'revise',
    id: '1',
    input: { labels: ['a'], content: { kind: 'note', fields: { text: 'b' } } },
  }
  expect(commandName(revise)).toBe('Revise')
  expect(kindOf(revise)).toBe('note')
  expect(commandFields(revise)).toEqual([
    { field: 'text', value: 'b' },
    { field: 'labels', value: ['a'] },
  ])
  expect(commandName({ type: 'restore', id: '1', version: 3 })).toBe('Bring back version 3')
  expect(commandName({ type: 'undo', id: '1', toVersion: 0 })).toBe('Take back')
  expect(commandFields({ type: 'forget', id: '1' })).toEqual([])
  expect(kindOf({ type: 'forget', id: '1' })).toBe(null)
  for (const strange of [null, 'x', [], {}, { type: 'new', input: 3 }]) {
    expect(commandFields(strange)).toEqual([])
    expect(commandName(strange)).toEqual(expect.any(String))
  }
})
