import { INDEXED_BYTES, lexicalText } from '@daybook/memory/lexical-text'
import type { MemoryState } from '@daybook/memory/state'
import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import * as fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const state = (text: string) =>
  ({
    kind: 'note',
    content: { text },
    labels: [],
    occurredAt: null,
    createdAt: '2026-01-01T00:00:00.000Z',
  }) as unknown as MemoryState

/** Characters that join tokens, begin addresses, tags and entities, or are letters in some locales only. */
const PIECES =
  'a b1 1 e x _ - . / @ : < > !-- & # ; + ? = " \' ~ % é \u0301 記 \u00a0 \u3000 🎉 , ( \\ http://'
    .split(' ')
    .concat(' ', '\n', '\t')

const JOINERS = ['_', '@', '/~', '../', '/', '<!--', '-', '.', ':']

/** Patterns that take the parser quadratic time, at least in part. */
const KNOWN = [
  'a_',
  '1_',
  'b1@',
  '@b1',
  '/~',
  '../',
  '<!--',
  'snake_case_',
  'é_a',
  '<a "',
  'a_b-c.d/',
  'a/a_',
]

/** Milliseconds from which a text is compared with prose too. */
const SLOW_MS = 2_000
/**
 * How many times as long as prose of the same length a slow text may take. Runs just too short to be split take
 * some 20 times as long: a second for 256 KB, two on a busy machine.
 */
const TIMES_PROSE = 60
const PROSE = 'Ada planted the seedlings in May, and the cat of the house slept on the radiator. '
/**
 * A text is compared with a sixteenth of itself. Linear time is a factor of 16; this allows four times that,
 * as other load has made one attempt take 4.5 times as long as the next. Quadratic time is a factor of 256.
 */
const STEP = 16
const IN_PROPORTION = 4 * STEP
/** Milliseconds below which a time is mostly noise. */
const SHORTEST_MS = 4
/** How often both texts are measured again, in turn, before a text is said to be slow. */
const TRIES = 10

const filled = (pattern: string, bytes: number) =>
  Buffer.from(pattern.repeat(Math.ceil(bytes / Buffer.byteLength(pattern)))).toString('utf8', 0, bytes)

describe.each(TEST_DATABASES)('indexing a text on $name', ({ start }) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await start()
  })
  afterAll(() => database?.stop())

  /** Milliseconds of one attempt. */
  async function timeOf(text: string): Promise<number> {
    const lexical = lexicalText(state(text))
    const startedAt = performance.now()
    await sql`select length(to_tsvector('english', ${lexical}))`.execute(database.db)
    return performance.now() - startedAt
  }

  /**
   * How long a text takes, and how many times as long as another: the best of several attempts of each, in
   * turn, as other load only adds time and comes and goes. Measures again only what takes too long.
   */
  async function compare(text: string, other: string, limit: number): Promise<{ ms: number; times: number }> {
    let ms = await timeOf(text)
    let otherMs = Math.max(SHORTEST_MS, await timeOf(other))
    for (let again = 0; ms >= limit * otherMs && again < TRIES; again += 1) {
      ms = Math.min(ms, await timeOf(text))
      otherMs = Math.max(SHORTEST_MS, Math.min(otherMs, await timeOf(other)))
    }
    return { ms, times: ms / otherMs }
  }

  /**
   * How many times as long a text takes as a sixteenth of it, at most; infinitely, if it takes far longer than
   * prose. Begins with 16 KB and stops at the first length that takes too long: 256 KB would take half an hour.
   */
  async function growth(pattern: string): Promise<number> {
    let most = 0
    for (let size = 1024 * STEP; size <= INDEXED_BYTES && most < IN_PROPORTION; size *= STEP) {
      const text = filled(pattern, size)
      const { ms, times } = await compare(text, filled(pattern, size / STEP), IN_PROPORTION)
      most = Math.max(most, times)
      if (ms < SLOW_MS) continue
      const prose = await compare(text, filled(PROSE, size), TIMES_PROSE)
      if (prose.times >= TIMES_PROSE) return Number.POSITIVE_INFINITY
    }
    return most
  }

  it.each(KNOWN)('of 256 KB of %j takes time in proportion to its length', async (pattern) =>
    expect(await growth(pattern)).toBeLessThan(IN_PROPORTION),
  )

  it('of 256 KB takes time in proportion to its length, whatever is in it', async () => {
    const anything = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 8 })
    // One in three of these takes the parser quadratic time; of arbitrary texts, one in about fifty.
    const joined = fc.tuple(fc.constantFrom('a', '1', 'b1', 'snake', 'é'), fc.constantFrom(...JOINERS))
    const pattern = fc.oneof(anything, joined)
    // Runs just too short to be split cost the most.
    const separator = fc.constantFrom('', ' ')
    await fc.assert(
      fc.asyncProperty(pattern, separator, async (pieces, between) => {
        const short = pieces.join('')
        const run = between === '' ? short : filled(short, 98).replaceAll('\uFFFD', '') + between
        expect(await growth(run)).toBeLessThan(IN_PROPORTION)
      }),
      // Shrinking to the shortest failing text would take minutes.
      { numRuns: 12, endOnFailure: true },
    )
  })
})
