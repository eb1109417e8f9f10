import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diffStates, diffTexts, type TextPart } from './diff-versions.ts'
import { noteState } from './testing/note-state.ts'

const joined = (parts: readonly TextPart[], without: TextPart['change']) =>
  parts.flatMap(({ change, text }) => (change === without ? [] : [text])).join('')

describe('the difference of two versions (capability 16)', () => {
  it('names changed fields with both values, and the words of the text', () => {
    const before = noteState({ content: { text: 'the launch is on Friday' }, labels: ['plan'] })
    const after = { ...before, content: { text: 'the launch is on Monday' }, labels: [], importance: 9 }
    expect(diffStates(before, after)).toEqual({
      changed: [
        { field: 'content.text', before: 'the launch is on Friday', after: 'the launch is on Monday' },
        { field: 'labels', before: ['plan'], after: [] },
        { field: 'importance', before: before.importance, after: 9 },
      ],
      text: [
        { change: 'SAME', text: 'the launch is on ' },
        { change: 'REMOVED', text: 'Friday' },
        { change: 'ADDED', text: 'Monday' },
      ],
    })
  })

  it('has nothing to say of equal states', () => {
    const state = noteState({ content: { text: 'tea' } })
    expect(diffStates(state, state)).toEqual({ changed: [], text: [{ change: 'SAME', text: 'tea' }] })
  })

  it('has both texts in full, whatever they are', () => {
    const text = fc
      .array(fc.constantFrom('tea', ' ', '\n', 'é', '👩‍🚀', '.', 'a-b', '日本語'))
      .map((words) => words.join(''))
    fc.assert(
      fc.property(fc.oneof(text, fc.string()), fc.oneof(text, fc.string()), (before, after) => {
        const parts = diffTexts(before, after)
        expect(joined(parts, 'ADDED')).toBe(before)
        expect(joined(parts, 'REMOVED')).toBe(after)
      }),
    )
  })

  it('takes texts that have nothing in common as wholly different, rather than compare for minutes', () => {
    const words = (letter: string) =>
      Array.from({ length: 10_000 }, (_, index) => `${letter}${index}`).join(' ')
    expect(diffTexts(words('a'), words('b')).map(({ change }) => change)).toEqual(['REMOVED', 'ADDED'])
  })
})
