import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { entryText } from './entry-text.ts'
import { noteState } from './testing/note-state.ts'

const ID = noteState().id

describe('an entry of a prompt (capability 21)', () => {
  test('names the memory, its day, context and agent, and sets its text in', () => {
    const state = noteState({ occurredAt: '2023-05-08T10:00:00.000Z', context: 'daybook', agent: 'claude' })
    expect(entryText(3, { ...state, id: `note:${ID}` }, 'first\n\nsecond')).toBe(
      `[3] note:${ID} · 2023-05-08 · in daybook · by claude\n  first\n  second`,
    )
  })

  test('no memory can look like another entry, whatever it says', () => {
    const hostile = fc.array(
      fc.constantFrom(
        '[2] note:x',
        '\n',
        '\r',
        '\u2028',
        '\u0085',
        '\v',
        '\u001B[2J',
        '\u202E',
        '##',
        ' ',
        'a',
      ),
    )
    fc.assert(
      fc.property(hostile, hostile, hostile, (said, context, agent) => {
        const state = noteState({ context: context.join(''), agent: agent.join('') })
        const [heading, ...lines] = entryText(1, { ...state, id: `note:${ID}` }, said.join('')).split('\n')
        expect(heading).toMatch(/^\[1\] note:/u)
        for (const line of lines) expect(line).toMatch(/^ {2}\S/u)
        // oxlint-disable-next-line no-control-regex
        expect([heading, ...lines].join('')).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u2028\u2029\u202E]/u)
      }),
    )
  })
})
