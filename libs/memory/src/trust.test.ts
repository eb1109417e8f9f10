import { expect, it } from 'vitest'
import { noteState } from './testing/note-state.ts'
import { isAtLeast, type Trust, trustIn } from './trust.ts'

const TRUST: Readonly<Record<string, Trust>> = { ada: 'high', eve: 'low' }
const trustOf = (key: string): Trust => TRUST[key] ?? 'normal'

it('a memory is trusted as far as the least trusted of its authors, and as usual without any', () => {
  const of = (writtenBy?: string, editedBy?: string) =>
    trustIn(
      noteState({
        ...(writtenBy !== undefined && { writtenBy: { key: writtenBy } }),
        ...(editedBy !== undefined && { editedBy: { key: editedBy } }),
      }),
      trustOf,
    )
  expect([of(), of('ada'), of('bob'), of('eve')]).toEqual(['normal', 'high', 'normal', 'low'])
  expect([of('ada', 'eve'), of('eve', 'ada'), of('ada', 'bob')]).toEqual(['low', 'low', 'normal'])
  expect([of(undefined, 'ada'), of(undefined, 'eve')]).toEqual(['normal', 'low'])
})

it('levels are in order', () => {
  expect(isAtLeast('low', 'normal')).toBe(false)
  expect(isAtLeast('normal', 'normal')).toBe(true)
  expect(isAtLeast('high', 'normal')).toBe(true)
})
