import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { stem } from './stem.ts'

const BEGINNINGS =
  'consist knack run hop hope general commun sky day enjoy fluff caress agree plaster bl conflat troubl fall operat able vietnam decis relat condition ration digit vile radic analog skill arsenal happ cri tie gas kiwi news proceed succeed controll probat rate creat sens'
const ENDINGS = [
  '',
  ...'s es ed ing ingly edly er ers ly ies ied y ational tional ization izer ator alism aliti fulness ousness iveness biliti lessli entli ation enci anci abli alli ogi li icate iciti ative ical ness ful ement ance ence able ible ment ant ent ism ate iti ous ive ize ion al ic e l ss us eed eedly'.split(
    ' ',
  ),
]

let database: TestDatabase
beforeAll(async () => {
  const kind = TEST_DATABASES[0]
  if (kind === undefined) throw new Error('no database')
  database = await kind.start()
})
afterAll(() => database?.stop())

it.each([
  ['authentication', 'authent'],
  ['caresses', 'caress'],
  ['hopping', 'hop'],
  ['hoping', 'hope'],
  ['generously', 'generous'],
  ['skies', 'sky'],
  ['naïve', 'naïve'],
  ['8', '8'],
])('%s becomes %s', (word, wanted) => {
  expect(stem(word)).toBe(wanted)
})

it('agrees with the stemmer of Postgres, which is the reference implementation', async () => {
  const words = BEGINNINGS.split(' ').flatMap((beginning) => ENDINGS.map((ending) => beginning + ending))
  const { rows } = await sql<{ word: string; stems: string[] }>`
    select word, ts_lexize('english_stem', word) as stems from unnest(${words}::text[]) as word`.execute(
    database.db,
  )
  // Postgres has no stem for a stop word.
  const known = rows.filter(({ stems }) => stems.length > 0)
  expect(known.length).toBeGreaterThan(2_000)
  expect(known.filter(({ word, stems }) => stem(word) !== stems[0])).toEqual([])
})
