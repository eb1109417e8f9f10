import { dayWord, MONTH, MONTHS, monthNumber } from '@daybook/memory/day-words'

/** A time from `from` until before `to`, in milliseconds since 1970, in UTC. Infinite where it is open. */
interface Period {
  readonly from: number
  readonly to: number
}

const DAY_MS = 86_400_000

/** The day, month or year that holds a date. Months count from 0; too large ones belong to later years. */
const dayOf = (year: number, month: number, day: number): Period => ({
  from: Date.UTC(year, month, day),
  to: Date.UTC(year, month, day + 1),
})

const monthsOf = (year: number, month: number, count = 1): Period => ({
  from: Date.UTC(year, month, 1),
  to: Date.UTC(year, month + count, 1),
})

const yearOf = (year: number): Period => monthsOf(year, 0, 12)

/** The week that holds a time, from Monday. */
function weekOf(time: number): Period {
  const date = new Date(time)
  const from = Date.UTC(
    date.getUTCFullYear(),
    date.getUTCMonth(),
    date.getUTCDate() - ((date.getUTCDay() + 6) % 7),
  )
  return { from, to: from + 7 * DAY_MS }
}

/**
 * The words of the days of a time (`day-words.ts`), if it is not longer than a month. A day without a year may be this year's or
 * the next one's.
 */
export function daysOf({ from, to, phrase, words }: TimePhrase): string[] {
  const days = Math.ceil((to - from) / DAY_MS)
  if (!(days <= 31)) return []
  const named = Array.from({ length: days }, (_, at) => dayWord(from + at * DAY_MS))
  const day = new Date(from)
  const isWithoutYear = days === 1 && words === '' && !/\d{4}/u.test(phrase)
  return isWithoutYear
    ? [...named, dayWord(Date.UTC(day.getUTCFullYear() + 1, day.getUTCMonth(), day.getUTCDate()))]
    : named
}

/**
 * The question's words, and those of the times that it names: "yesterday" is in no memory, the words of each day are among those
 * of its memories.
 */
export const withTimes = (wanted: string, times: readonly TimePhrase[]): string =>
  [
    wanted,
    ...times.flatMap((time) => {
      const days = daysOf(time)
      return days.length > 0 && days.length <= 7 ? days : [time.words]
    }),
  ]
    .filter((words) => words !== '')
    .join(' ')

/**
 * A period in the words that memories are indexed with: a day ("8 May 2023"), the months of a shorter time, or
 * the years of a longer one.
 */
function wordsOf({ from, to }: Period): string {
  if (!Number.isFinite(from) || !Number.isFinite(to)) return ''
  const [first, last] = [new Date(from), new Date(to - 1)]
  const [year, lastYear] = [first.getUTCFullYear(), last.getUTCFullYear()]
  const months = (lastYear - year) * 12 + last.getUTCMonth() - first.getUTCMonth() + 1
  if (to - from <= DAY_MS) return `${first.getUTCDate()} ${MONTHS[first.getUTCMonth()]} ${year}`
  const years = year === lastYear ? String(year) : `${year} ${lastYear}`
  if (months > 3) return years
  const names = Array.from({ length: months }, (_, index) => MONTHS[(first.getUTCMonth() + index) % 12])
  return `${names.join(' ')} ${years}`
}

/** A time that a question names. */
export interface TimePhrase extends Period {
  /** As in the question: "last summer". */
  readonly phrase: string
  /** For a time that depends on now, the same in absolute words; empty if the question has them itself. */
  readonly words: string
}

const SEASONS = ['spring', 'summer', 'autumn', 'winter', 'fall']

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

const NUMBERS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']

const YEAR = '(?:19|20)\\d\\d'

/** Without one of these, "may" and "march" are mostly verbs, and "June" and "April" may be people. */
const BEFORE =
  '(?<![\\p{L}\\p{N}])(?:in|on|during|since|before|after|until|till|early|late|mid|around|(?:beginning|start|middle|end|week|half) of) '

/** About how many days each unit has. */
const DAYS: Readonly<Record<string, number>> = { day: 1, week: 7, month: 30, year: 365 }

interface Rule {
  readonly pattern: RegExp
  readonly relative: boolean
  /** @returns null if the numbers are no date */
  read(groups: Readonly<Record<string, string | undefined>>, now: number): Period | null
}

const rule = (pattern: string, relative: boolean, read: Rule['read']): Rule => ({
  pattern: new RegExp(`(?<![\\p{L}\\p{N}])(?:${pattern})(?![\\p{L}\\p{N}])`, 'giu'),
  relative,
  read,
})

/** The number of a day in its month. */
const DAY = '(?:the )?\\d{1,2}(?:st|nd|rd|th)?'

/** What opens a period. */
const OPENING = '(?:before|until|till|after|since)'

/** A time at either end of another one, in the words of the rules. A number of things is no year. */
const END = [
  `${YEAR}-\\d\\d(?:-\\d\\d)?(?![-\\d])`,
  `${DAY} (?:of )?(?:${MONTH})(?:,? ?${YEAR})?`,
  `(?:${MONTH}) ${DAY}(?!\\d)(?:,? ?${YEAR})?`,
  `(?:(?:last|past|this) )?(?:${MONTH})(?:,? (?:of )?${YEAR})?`,
  `(?:(?:last|past|this|the) )?(?:${SEASONS.join('|')})(?:,? (?:of )?${YEAR})?`,
  `${YEAR}(?!\\.\\d| (?:\\p{L}+s|[kmg]b|px)(?!\\p{L}))`,
  'today|yesterday|(?:this|last|previous) (?:week|month|year|weekend)',
  `(?:(?:last|past) )?(?:${WEEKDAYS.join('|')})`,
  `(?:\\d{1,3}|an?|a few|a couple of|several|${NUMBERS.slice(1).join('|')}) (?:day|week|month|year)s? ago`,
].join('|')

/** The first that matches a place in the text wins. */
const RULES: readonly Rule[] = [
  rule(
    `(?:between (?<d>${DAY}) and|(?:from )?(?<d2>${DAY})(?: ?[-–] ?| to | until | till | through )) ?(?<e>${DAY}) (?:of )?(?<m>${MONTH})(?:,? ?(?<y>${YEAR}))?`,
    false,
    ({ d, d2, e, m, y }, now) => daysFrom(d ?? d2, e, m, y, now),
  ),
  rule(
    `(?:between (?<m>${MONTH}) (?<d>${DAY}) and |(?:from )?(?<m2>${MONTH}) (?<d2>${DAY})(?: ?[-–] ?| to | until | till | through ))(?<e>${DAY})(?!\\d)(?:,? ?(?<y>${YEAR}))?`,
    false,
    ({ m, m2, d, d2, e, y }, now) => daysFrom(d ?? d2, e, m ?? m2, y, now),
  ),
  rule(
    `(?:between (?<a>${END}) and|from (?<a2>${END}) (?:to|until|till|through)) (?<b>${END})`,
    true,
    ({ a, a2, b }, now) => between(a ?? a2, b, now),
  ),
  rule(`(?<y>${YEAR})-(?<m>\\d\\d)-(?<d>\\d\\d)`, false, ({ y, m, d }) => calendarDay(y, Number(m) - 1, d)),
  rule(
    `(?<d>\\d{1,2})(?:st|nd|rd|th)? (?:of )?(?<m>${MONTH})(?:,? ?(?<y>${YEAR}))?|(?<m2>${MONTH}) (?<d2>\\d{1,2})(?:st|nd|rd|th)?(?!\\d)(?:,? ?(?<y2>${YEAR}))?`,
    false,
    ({ d, m, y, d2, m2, y2 }, now) =>
      latest(y ?? y2, now, (year) => calendarDay(year, monthNumber(m ?? m2), d ?? d2)),
  ),
  rule(`(?<m>${MONTH}),? (?:of )?(?<y>${YEAR})`, false, ({ m, y }) => monthsOf(Number(y), monthNumber(m))),
  rule(`(?:the )?(?<s>${SEASONS.join('|')}),? (?:of )?(?<y>${YEAR})`, false, ({ s, y }) =>
    season(s, Number(y)),
  ),
  rule(`(?<=${BEFORE})(?:the year )?(?<y>${YEAR})(?![.-]\\d)`, false, ({ y }) => yearOf(Number(y))),
  rule(`(?<=${BEFORE})(?<y>${YEAR})-(?<m>0[1-9]|1[0-2])(?!-)`, false, ({ y, m }) =>
    monthsOf(Number(y), Number(m) - 1),
  ),
  rule('today|yesterday', true, ({ text }, now) =>
    around(now - (text?.toLowerCase() === 'today' ? 0 : DAY_MS), 'day'),
  ),
  rule(
    `(?<n>\\d{1,3}|an?|a few|a couple of|several|${NUMBERS.slice(1).join('|')}) (?<u>day|week|month|year)s? ago`,
    true,
    ({ n, u }, now) => around(before(now, countOf(n), u), u),
  ),
  // Whole days up to and with today, unlike the week of the calendar that "last week" is.
  rule(
    `(?:last|past) (?<n>\\d{1,3}|few|couple of|${NUMBERS.slice(1).join('|')}) (?<u>hour|day|week|month|year)s|past (?<u2>day|week|month|year)`,
    true,
    ({ n, u, u2 }, now) => {
      const many = n === undefined ? 1 : countOf(n)
      const back = isUnit(u, 'hour') ? many / 24 : many * (DAYS[(u ?? u2)?.toLowerCase() ?? ''] ?? 1) - 1
      return { from: around(now - back * DAY_MS, 'day').from, to: around(now, 'day').to }
    },
  ),
  rule('(?<w>this|last|previous) (?<u>week|month|year)', true, ({ w, u }, now) =>
    around(before(now, isThis(w) ? 0 : 1, u), u),
  ),
  rule('(?<w>this|last|past|previous) weekend', true, ({ w }, now) => {
    const { to } = weekOf(now - (isThis(w) ? 0 : 7 * DAY_MS))
    return { from: to - 2 * DAY_MS, to }
  }),
  rule(`(?:(?:last|past|on) |(?<=${OPENING} (?:the )?))(?<w>${WEEKDAYS.join('|')})`, true, ({ w }, now) => {
    const back = (new Date(now).getUTCDay() - WEEKDAYS.indexOf(w?.toLowerCase() ?? '') + 7) % 7 || 7
    return around(now - back * DAY_MS, 'day')
  }),
  rule(
    `(?:this|last|past) (?<s>${SEASONS.join('|')})|(?:in|during) (?:(?:the )(?<s2>${SEASONS.join('|')})|(?<s3>summer|winter|autumn))|(?<=${OPENING} (?:the )?)(?<s4>summer|winter|autumn)`,
    true,
    ({ s, s2, s3, s4 }, now) => latest(undefined, now, (year) => season(s ?? s2 ?? s3 ?? s4, Number(year))),
  ),
  rule(`(?<=${BEFORE}|(?:this|last|past) )(?<m>${MONTH})`, true, ({ m }, now) =>
    latest(undefined, now, (year) => monthsOf(Number(year), monthNumber(m))),
  ),
]

/**
 * The times that a question names, in the order of the rules: "on 8 May 2023", "in May", "last summer", "two
 * weeks ago", "before June". English only. A month or day without a year is the latest that has begun. Seasons
 * are those of the northern hemisphere. "before" and "after" make a period open; "from March to May" is one time.
 *
 * Own rules instead of chrono-node 2.10, which does not know "last summer", "this week" and "in 2022", and reads
 * "march through the list" and "sun exposure" as dates.
 *
 * @param now in milliseconds since 1970
 */
export function timePhrases(question: string, now: number): TimePhrase[] {
  // With single blanks no rule has to look back over many, which took 0.4 s for 4,096 blanks.
  const text = question.replaceAll(/\s+/gu, ' ')
  const phrases: TimePhrase[] = []
  let rest = text
  for (const { pattern, relative, read } of RULES) {
    let [blanked, from] = ['', 0]
    for (const match of rest.matchAll(pattern)) {
      const { 0: phrase, index, groups } = match
      const period = read({ ...groups, text: phrase }, now)
      if (period === null) continue
      const open = opened(text.slice(Math.max(0, index - LONGEST_OPENING), index), period)
      phrases.push({ ...open, phrase, words: relative ? wordsOf(open) : '' })
      blanked += rest.slice(from, index) + ' '.repeat(phrase.length)
      from = index + phrase.length
    }
    rest = blanked + rest.slice(from)
  }
  return phrases
}

/** Characters of the longest words that open a period. */
const LONGEST_OPENING = 'before the beginning of the '.length

/** Opens a period after "before" or "since", or after "until the end of". */
function opened(leading: string, { from, to }: Period): Period {
  const { word, edge } = OPENED.exec(leading)?.groups ?? {}
  if (word === undefined) return { from, to }
  if (/^(?:before|until|till)$/iu.test(word))
    return { from: Number.NEGATIVE_INFINITY, to: edge?.toLowerCase() === 'end' ? to : from }
  const isFromEnd = edge === undefined ? /^after$/iu.test(word) : edge.toLowerCase() === 'end'
  return { from: isFromEnd ? to : from, to: Number.POSITIVE_INFINITY }
}

const OPENED = new RegExp(
  `(?<![\\p{L}\\p{N}])(?<word>${OPENING}) (?:(?:the )?(?<edge>start|beginning|end) of )?(?:(?:the|last|past|this) )?$`,
  'iu',
)

function calendarDay(year: string | undefined, month: number, day: string | undefined): Period | null {
  const period = dayOf(Number(year), month, Number(day))
  // The 31st of June would be a day in July.
  return new Date(period.from).getUTCDate() === Number(day) && month >= 0 && month < 12 ? period : null
}

/** Days of one month, the last one included. */
const daysFrom = (
  first: string | undefined,
  last: string | undefined,
  month: string | undefined,
  year: string | undefined,
  now: number,
): Period | null =>
  latest(year, now, (of) => {
    const [start, end] = [first, last].map((day) =>
      calendarDay(of, monthNumber(month), day?.replace(/\D/gu, '')),
    )
    return start && end && start.from < end.from ? { from: start.from, to: end.to } : null
  })

/** From one time until the end of another. One without a year, or a day of the week, is the last one before the other. */
function between(first = '', last = '', now: number): Period | null {
  const year = YEARS.exec(first)?.[0]
  const at = (words: string, of?: number | string) =>
    (of !== undefined && !YEARS.test(words) ? timeAt(`${words} ${of}`, now) : null) ?? timeAt(words, now)
  let end = at(last, year)
  if (end === null) return null
  const endYear = new Date(end.from).getUTCFullYear()
  let start = at(first, endYear)
  if (start !== null && start.from > end.from) {
    if (year === undefined) start = at(first, endYear - 1)
    else end = at(last, Number(year) + 1)
  }
  if (start === null || end === null) return null
  const weeks = start.from > end.from && WEEKDAYS.includes(first.toLowerCase()) ? 7 * DAY_MS : 0
  return { from: Math.min(start.from - weeks, end.from), to: Math.max(start.to - weeks, end.to) }
}

const YEARS = new RegExp(YEAR, 'u')

/** The time that words name by themselves, all of them. */
function timeAt(words: string, now: number): Period | null {
  for (const cue of ['on', 'in']) {
    const [time, ...others] = timePhrases(`${cue} ${words}`, now)
    if (
      time !== undefined &&
      others.length === 0 &&
      (time.phrase.endsWith(words) || words.endsWith(time.phrase))
    )
      return time
  }
  return null
}

/** @param year the year given; undefined for the latest in which the period has begun */
function latest(year: string | undefined, now: number, of: (year: string) => Period | null): Period | null {
  if (year !== undefined) return of(year)
  const thisYear = new Date(now).getUTCFullYear()
  const period = of(String(thisYear))
  return period === null || period.from <= now ? period : of(String(thisYear - 1))
}

function season(name: string | undefined, year: number): Period {
  const first = { spring: 2, summer: 5, autumn: 8, fall: 8, winter: 11 }[name?.toLowerCase() ?? ''] ?? 0
  return monthsOf(year, first, 3)
}

const isThis = (word: string | undefined) => word?.toLowerCase() === 'this'

function countOf(text = ''): number {
  const word = text.toLowerCase()
  if (/^\d/u.test(word)) return Number(word)
  if (NUMBERS.includes(word)) return NUMBERS.indexOf(word)
  return { a: 1, an: 1, 'a couple of': 2 }[word] ?? 3
}

function before(now: number, many: number, unit: string | undefined): number {
  const date = new Date(now)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  if (isUnit(unit, 'year')) return Date.UTC(year - many, month, 1)
  if (isUnit(unit, 'month')) return Date.UTC(year, month - many, 1)
  return now - many * (isUnit(unit, 'week') ? 7 : 1) * DAY_MS
}

function around(time: number, unit: string | undefined): Period {
  const date = new Date(time)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  if (isUnit(unit, 'year')) return yearOf(year)
  if (isUnit(unit, 'month')) return monthsOf(year, month)
  return isUnit(unit, 'week') ? weekOf(time) : dayOf(year, month, date.getUTCDate())
}

const isUnit = (unit: string | undefined, wanted: string) => unit?.toLowerCase() === wanted
