import { type RawBuilder, sql } from 'kysely'

/*
 * The form of the lexical index. A project's memories are numbered 1, 2, 3, … in the order in which they were first
 * written; each 4,096 of them are a segment. A row of the table `postings` holds one lexeme in one segment:
 *
 * - `entries`   its postings, in no order
 * - `removed`   those of `entries` that hold no more
 * - `recent`    postings that came since; never removed ones, those leave
 *
 * each a string of postings of 32 bits, big-endian:
 *
 *   place in the segment, 12 bits │ occurrences in the text, 8 bits │ length of the text in lexemes, 12 bits
 *
 * Occurrences are exact: Postgres keeps 255 positions of a lexeme and forgets the others. A length of 4,095 says "that or
 * more": whoever wants to be exact looks it up in `memories`.
 *
 * The three columns are there for writing. Whole segments of a word that every memory has (those of the day are such) come
 * to 16 KB, and Postgres writes a value anew whenever it changes: 50 KB for a single memory that is remembered or revised, which the
 * embedded database, where nothing vacuums, never gives back. `recent` and `removed` are short, stand in the row itself and leave
 * `entries` untouched, until they hold more than `RECENT_MAX` postings and are worked into it.
 *
 * As bytes and not as `integer[]`: 600,000 postings are read in 18 ms, as an array in 95 (base64 of its binary form) to 480 (its
 * text), on both databases.
 */

/** Memories a segment. The segment of number n is ⌊(n − 1) / 4,096⌋. */
export const SEGMENT_SIZE = 4_096

/** The greatest length that a posting tells from greater ones. */
export const LENGTH_MAX = 4_095

/** Postings in `recent`, and likewise in `removed`, at most. */
const RECENT_MAX = 128

/** The most occurrences that Postgres tells, and that fit. */
const OCCURRENCES_MAX = 255

export const POSTING_BYTES = 4

/** `recent` or `removed`, as long as it may become. */
export const RECENT_BYTES = RECENT_MAX * POSTING_BYTES

/** The segment of the memory `m`. */
export const SEGMENT = sql<number>`((m.number - 1) / ${sql.lit(SEGMENT_SIZE)})`

const PLACE = sql`(((m.number - 1) % ${sql.lit(SEGMENT_SIZE)}) << 20)`

/** The posting of the memory `m` for its lexeme at `positions`. */
export const postingOf = (positions: RawBuilder<unknown>): RawBuilder<Buffer> =>
  sql`int4send(${PLACE} | (least(cardinality(${positions}), ${sql.lit(OCCURRENCES_MAX)}) << 12)
    | least(m.length, ${sql.lit(LENGTH_MAX)}))`

/** A posting of the memory `m` that says no more than its place, as `removed` wants it. */
export const PLACE_ONLY = sql<Buffer>`int4send(${PLACE})`

const placeAt = (postings: RawBuilder<unknown>, at: RawBuilder<unknown>) =>
  // Each operator in brackets of its own: Postgres gives them all the same precedence.
  sql`((get_byte(${postings}, ${at}) << 4) | (get_byte(${postings}, ${at} + 1) >> 4))`

/** The postings of one string that are at none of the places of another. */
export function without(postings: RawBuilder<unknown>, removed: RawBuilder<unknown>): RawBuilder<Buffer> {
  // `offset 0`: what is kept out of the row is fetched once, not for every byte looked at.
  return sql`
    case when ${removed} = '' then ${postings} else (
      select coalesce(string_agg(substr(given.postings, at + 1, 4), ''), '')
      from (select ${postings} || ''::bytea as postings offset 0) given,
        generate_series(0, octet_length(given.postings) - 1, 4) at
      where ${placeAt(sql`given.postings`, sql`at`)} <> all(array(
        select ${placeAt(removed, sql`gone`)} from generate_series(0, octet_length(${removed}) - 1, 4) gone))
    ) end`
}

export const placeOf = (posting: number): number => posting >>> 20
export const occurrencesOf = (posting: number): number => (posting >>> 12) & 0xff
/** `LENGTH_MAX` is that or more. */
export const lengthOf = (posting: number): number => posting & 0xfff

/** The segment that a memory's number is in. */
export const segmentOf = (number: number): number => Math.floor((number - 1) / SEGMENT_SIZE)

/** The number of the memory at a place of a segment. */
export const numberAt = (segment: number, place: number): number => segment * SEGMENT_SIZE + place + 1

/**
 * The postings that a row comes to.
 * @param postings `entries` and `recent`, one behind the other
 */
export function unpack(postings: Buffer, removed: Buffer): Uint32Array {
  const all = words(postings)
  if (removed.length === 0) return all
  // `removed` speaks of `entries`, which come first: a memory that was removed and came again is in `recent`.
  const gone = new Set(Array.from(words(removed), placeOf))
  return all.filter((posting) => !gone.delete(placeOf(posting)))
}

function words(bytes: Buffer): Uint32Array {
  // A string that damage has torn is searched as far as it goes; verification finds it.
  const copy = new Uint32Array(Math.floor(bytes.length / POSTING_BYTES))
  const target = Buffer.from(copy.buffer)
  bytes.copy(target)
  target.swap32()
  return copy
}
