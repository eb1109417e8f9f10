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

/** Milliseconds of one attempt from which noise no longer matters, so that one is enough. */
const SLOW_MS = 2_000
/**
 * How many times as long as prose of the same length a slow text may take. Runs just too short to be split take
 * some 20 times as long: a second for 256 KB, two on a busy machine.
 */
const TIMES_PROSE = 60
const PROSE = 'Ada planted the seedlings in May, and the cat of the house slept on the radiator. '
/**
 * Linear time is a factor of 4; this allows the same again for a busy machine. Quadratic time is a factor of
 * 16.
 */
const IN_PROPORTION = 9

const filled = (pattern: string, bytes: number) =>
  Buffer.from(pattern.repeat(Math.ceil(bytes / Buffer.byteLength(pattern)))).toString('utf8', 0, bytes)

describe.each(TEST_DATABASES)('C2: indexing a text on $name', ({ start }) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await start()
  })
  afterAll(() => database?.stop())

  /**
   * Milliseconds, the best of several attempts, as other load only adds time. One attempt is enough for a
   * slow text.
   */
  async function timeOf(text: string, tries = 3): Promise<number> {
    const lexical = lexicalText(state(text))
    let best = Number.POSITIVE_INFINITY
    for (let attempt = 0; attempt < tries; attempt += 1) {
      const startedAt = performance.now()
      await sql`select length(to_tsvector('english', ${lexical}))`.execute(database.db)
      best = Math.min(best, performance.now() - startedAt)
      if (best > SLOW_MS) break
    }
    return best
  }

  /**
   * How much longer a text takes than a quarter of it, at most; infinitely, if it takes far longer than prose.
   * Starts at 1 KB and stops at the first that takes too long: 256 KB would take half an hour.
   */
  async function growth(pattern: string, bytes: number): Promise<number> {
    let quarter = await timeOf(filled(pattern, 1024))
    let most = 0
    for (let size = 4096; size <= bytes && most < IN_PROPORTION; size *= 4) {
      // Times below 8 ms have too much noise.
      const enough = IN_PROPORTION * Math.max(quarter, 8)
      const text = filled(pattern, size)
      let whole = await timeOf(text)
      // A busy machine may have slowed every attempt.
      if (whole >= enough) whole = Math.min(whole, await timeOf(text, 20))
      if (whole > SLOW_MS && whole > TIMES_PROSE * (await timeOf(filled(PROSE, size))))
        return Number.POSITIVE_INFINITY
      most = Math.max(most, whole / Math.max(quarter, 8))
      quarter = whole
    }
    return most
  }

  it.each(KNOWN)(
    'of %j takes time in proportion to its length',
    async (pattern) => expect(await growth(pattern, 64 * 1024)).toBeLessThan(IN_PROPORTION),
    120_000,
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
        expect(await growth(run, INDEXED_BYTES)).toBeLessThan(IN_PROPORTION)
      }),
      // Shrinking to the shortest failing text would take minutes.
      { numRuns: 12, endOnFailure: true },
    )
  }, 300_000)
})
