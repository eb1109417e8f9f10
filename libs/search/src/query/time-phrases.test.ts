import { isInProportion } from '@daybook/runtime/testing/growth'
import { describe, expect, it } from 'vitest'
import { timePhrases } from './time-phrases.ts'

/** A Sunday. */
const NOW = Date.UTC(2026, 10, 22, 10)
const day = (time: number) => (Number.isFinite(time) ? new Date(time).toISOString().slice(0, 10) : '')
/** `phrase: first day..day after the last (words)` */
const read = (question: string, now = NOW) =>
  timePhrases(question, now).map(
    ({ phrase, from, to, words }) => `${phrase}: ${day(from)}..${day(to)}${words && ` (${words})`}`,
  )

describe('timePhrases', () => {
  it.each([
    ['What was said on 8 May 2023?', '8 May 2023: 2023-05-08..2023-05-09'],
    ['and on May 8th, 2023', 'May 8th, 2023: 2023-05-08..2023-05-09'],
    ['on December 1,2023', 'December 1,2023: 2023-12-01..2023-12-02'],
    ['the 3rd of Aug. 2025', '3rd of Aug. 2025: 2025-08-03..2025-08-04'],
    ['since 2023-05-08', '2023-05-08: 2023-05-08..'],
    ['in July 2022', 'July 2022: 2022-07-01..2022-08-01'],
    ['the summer of 2022', 'the summer of 2022: 2022-06-01..2022-09-01'],
    ['winter 2024', 'winter 2024: 2024-12-01..2025-03-01'],
    ['during 2024', '2024: 2024-01-01..2025-01-01'],
  ])('reads the absolute: %s', (question, wanted) => {
    expect(read(question)).toEqual([wanted])
  })

  it.each([
    ['What did we decide in May?', 'May: 2026-05-01..2026-06-01 (May 2026)'],
    ['in December', 'December: 2025-12-01..2026-01-01 (December 2025)'],
    ['at the end of March', 'March: 2026-03-01..2026-04-01 (March 2026)'],
    ['on 24 December', '24 December: 2025-12-24..2025-12-25'],
    ['What did I plant last summer?', 'last summer: 2026-06-01..2026-09-01 (June July August 2026)'],
    ['this winter', 'this winter: 2025-12-01..2026-03-01 (December January February 2025 2026)'],
    ['in the fall', 'in the fall: 2026-09-01..2026-12-01 (September October November 2026)'],
    ['last week', 'last week: 2026-11-09..2026-11-16 (November 2026)'],
    ['in the past week', 'past week: 2026-11-16..2026-11-23 (November 2026)'],
    ['the last 7 days', 'last 7 days: 2026-11-16..2026-11-23 (November 2026)'],
    ['in the last three days', 'last three days: 2026-11-20..2026-11-23 (November 2026)'],
    ['the last 24 hours', 'last 24 hours: 2026-11-21..2026-11-23 (November 2026)'],
    ['two weeks ago', 'two weeks ago: 2026-11-02..2026-11-09 (November 2026)'],
    ['last weekend', 'last weekend: 2026-11-14..2026-11-16 (November 2026)'],
    ['yesterday', 'yesterday: 2026-11-21..2026-11-22 (21 November 2026)'],
    ['last Friday', 'last Friday: 2026-11-20..2026-11-21 (20 November 2026)'],
    ['on Sunday', 'on Sunday: 2026-11-15..2026-11-16 (15 November 2026)'],
    ['3 days ago', '3 days ago: 2026-11-19..2026-11-20 (19 November 2026)'],
    ['a couple of months ago', 'a couple of months ago: 2026-09-01..2026-10-01 (September 2026)'],
    ['last year', 'last year: 2025-01-01..2026-01-01 (2025)'],
    ['ten years ago', 'ten years ago: 2016-01-01..2017-01-01 (2016)'],
  ])('reads what depends on now, with its absolute words: %s', (question, wanted) => {
    expect(read(question)).toEqual([wanted])
  })

  it('reads "last month" across the turn of a year, and on a day that it does not have', () => {
    expect(read('last month', Date.UTC(2026, 0, 5))).toEqual([
      'last month: 2025-12-01..2026-01-01 (December 2025)',
    ])
    expect(read('last month', Date.UTC(2026, 2, 31))).toEqual([
      'last month: 2026-02-01..2026-03-01 (February 2026)',
    ])
  })

  it('opens a time after "before", "until", "since" and "after"', () => {
    expect(read('before June 2025')).toEqual(['June 2025: ..2025-06-01'])
    expect(read('until the summer of 2025')).toEqual(['the summer of 2025: ..2025-06-01'])
    expect(read('since March')).toEqual(['March: 2026-03-01..'])
    expect(read('after March 2025')).toEqual(['March 2025: 2025-04-01..'])
  })

  it.each([
    ['before 2026', '2026: ..2026-01-01'],
    ['since October', 'October: 2026-10-01..'],
    ['since last October', 'October: 2026-10-01..'],
    ['after 5 March', '5 March: 2026-03-06..'],
    ['until last week', 'last week: ..2026-11-09'],
    ['things to do before december', 'december: ..2025-12-01'],
    ['since Monday', 'Monday: 2026-11-16..'],
    ['what was said before the Friday meeting', 'Friday: ..2026-11-20'],
    ['before last Tuesday', 'last Tuesday: ..2026-11-17'],
    ['since the summer', 'summer: 2026-06-01..'],
    ['until the end of March', 'March: ..2026-04-01'],
    ['since the start of 2025', '2025: 2025-01-01..'],
    ['after the end of last year', 'last year: 2026-01-01..'],
    ['since 2025-11', '2025-11: 2025-11-01..'],
    ['in 2025-11', '2025-11: 2025-11-01..2025-12-01'],
  ])('opens a time of each kind: %s', (question, wanted) => {
    expect(read(question)).toEqual([wanted])
  })

  it.each([
    ['between March and May', '2026-03-01..2026-06-01 (March April May 2026)'],
    ['from March until May 2024', '2024-03-01..2024-06-01 (March April May 2024)'],
    ['between November 2024 and February', '2024-11-01..2025-03-01 (2024 2025)'],
    ['from November to February', '2025-11-01..2026-03-01 (2025 2026)'],
    ['between December and the summer', '2025-12-01..2026-09-01 (2025 2026)'],
    ['between 3 and 7 November 2025', '2025-11-03..2025-11-08'],
    ['from 3rd to 7th of November', '2026-11-03..2026-11-08'],
    ['from the 3rd to the 7th of November', '2026-11-03..2026-11-08'],
    ['between 2024-03 and 2024-05', '2024-03-01..2024-06-01 (March April May 2024)'],
    ['3-7 Nov. 2025', '2025-11-03..2025-11-08'],
    ['3 – 7 November', '2026-11-03..2026-11-08'],
    ['from November 3 through 7, 2025', '2025-11-03..2025-11-08'],
    ['between 28 February and 3 March 2025', '2025-02-28..2025-03-04 (February March 2025)'],
    ['from 30 December to 2 January', '2025-12-30..2026-01-03 (December January 2025 2026)'],
    ['between 2025-11-03 and 2025-11-07', '2025-11-03..2025-11-08 (November 2025)'],
    ['from Monday to Wednesday', '2026-11-16..2026-11-19 (November 2026)'],
    ['between Friday and Monday', '2026-11-13..2026-11-17 (November 2026)'],
    ['from last week to yesterday', '2026-11-09..2026-11-22 (November 2026)'],
    ['between two weeks ago and today', '2026-11-02..2026-11-23 (November 2026)'],
    ['between 2023 and 2025', '2023-01-01..2026-01-01 (2023 2025)'],
    ['between today and last Monday', '2026-11-16..2026-11-23 (November 2026)'],
  ])('reads from one time to another as one: %s', (question, wanted) => {
    expect(read(`${question}?`)).toEqual([`${question}: ${wanted}`])
    expect(read(`What came\n ${question} of us`)).toEqual([`${question}: ${wanted}`])
  })

  it('reads several, each once', () => {
    expect(read('on 11 August 2023 and  15 August 2023').toSorted()).toEqual([
      '11 August 2023: 2023-08-11..2023-08-12',
      '15 August 2023: 2023-08-15..2023-08-16',
    ])
  })

  it.each([
    'May I ask what may go wrong?',
    'march through the list',
    'What does April think of June?',
    'sun exposure of the second migration',
    'springs, falls and winters',
    'version 2024.1 of the 2023 edition',
    'five minutes ago',
    'before the move',
    'in 2024.1, version 2024',
    'on 31 June',
    'before the deadline',
    'since version 2026.1',
    'since the fall of Rome, after the spring release',
    'between two stools',
    'between 3 and 7 people',
    'from 3 to 7',
    'between 2000 and 2050 requests',
    'from 2000 to 2048 MB',
    'from May we may, and between us',
    'from monday.com to jira, from 2024.1 to 2024.2',
    'from the March hare to the Mad Hatter',
    'Sunday roast, Friday',
    'between 7 and 31 June',
    'in 2025-13, on 2025-11-31',
    '2023-02-30 and 2023-13-01',
    '',
  ])('finds none in: %s', (question) => {
    expect(read(question)).toEqual([])
  })

  it('reads the longest question without looking back again and again', () => {
    // 4,096 blanks took 0.4 s; counted in steps of the clock this would be a timed test, so only its end is checked.
    expect(read(`${' '.repeat(4_080)}in  May`)).toEqual(['May: 2026-05-01..2026-06-01 (May 2026)'])
  })

  it.each([
    'in 2022 ',
    'since the last week ',
    '"',
    '{"a":',
    '([',
    'e\u0301',
    '- ',
    '2',
    'two ',
    'from 3 to ',
    'between May and ',
    '3-',
  ])('of 30 KB made of %j take linear time', async (piece) => {
    const text = piece.repeat(Math.ceil(30_000 / piece.length))
    expect(await isInProportion((part) => timePhrases(part, 0), text)).toBe(true)
  })
})
