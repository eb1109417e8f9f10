import { describe, expect, it } from 'vitest'
import { daysNamedIn, dayWord } from './day-words.ts'

const OWN = Date.UTC(2026, 10, 20)

describe('the days that a text names', () => {
  it.each([
    ['the party is on 17 November', ['day20261117']],
    ['Nov 17, and Nov. 18th', ['day20261117', 'day20261118']],
    ['the 17th of November 2025', ['day20251117']],
    ['November 17, 2025', ['day20251117']],
    ['from 2026-11-17T10:00:00Z', []],
    ['on 2026-11-17.', ['day20261117']],
    ['skiing from 3 January', ['day20270103']],
    ['since 30 December', ['day20261230']],
    ['31 June, 2026-02-30, 2026-13-01', []],
    ['may 5 people come', ['day20270505']],
    ['at Nov 17:30 and 5 Mayors', []],
    ['nothing', []],
  ])('in %j', (text, days) => {
    expect(daysNamedIn(text, OWN)).toEqual(days)
  })

  it('are not all of a long log', () => {
    const log = Array.from({ length: 90 }, (_, at) =>
      new Date(OWN + at * 86_400_000).toISOString().slice(0, 10),
    ).join('\n')
    expect(daysNamedIn(log, OWN)).toHaveLength(32)
  })

  it('have one word each', () => {
    expect(dayWord(Date.UTC(2026, 0, 2, 23, 59))).toBe('day20260102')
  })
})
