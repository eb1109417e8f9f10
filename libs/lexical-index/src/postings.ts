import { type RawBuilder, sql } from 'kysely'

/*
 * The format of the lexical index. A project's memories are numbered 1, 2, 3, … in the order in which they
 * were first written; every 4,096 of them are a segment. A row of the table `postings` holds one lexeme in
 * one segment:
 *
 * - `entries`   its postings, unordered
 * - `removed`   those of `entries` that are no longer valid
 * - `recent`    postings added since; a removed one is deleted from here at once
 *
 * Each is a string of 32-bit postings, big-endian:
 *
 *   place in the segment, 12 bits │ occurrences in the text, 8 bits │ length of the text in lexemes, 12 bits
 *
 * Occurrences are exact: Postgres keeps at most 255 positions of a lexeme. A length of 4,095 means "that or
 * more"; the exact one is in `memories`.
 *
 * There are three columns to make writes cheap. A word that every memory has, such as the day, fills 16 KB in
 * each segment, and Postgres rewrites a value with every change: 50 KB for a single memory that is remembered
 * or revised. The embedded database, which never vacuums, never gives that space back. `recent` and `removed`
 * are short and stored in the row itself. They leave `entries` untouched until they hold more than
 * `RECENT_MAX` postings and are merged into it.
 *
 * Postings are stored as bytes because an `integer[]` takes more than five times as long to read
 * (`docs/measurements.md#reading-packed-postings`).
 */

/** Memories per segment. Memory n is in segment ⌊(n − 1) / 4,096⌋. */
export const SEGMENT_SIZE = 4_096

/** The greatest length that a posting can hold; it stands for all greater ones too. */
export const LENGTH_MAX = 4_095

/** The most postings in `recent`, and in `removed`. */
const RECENT_MAX = 128

/** The most occurrences that Postgres reports and a posting can hold. */
const OCCURRENCES_MAX = 255

/** The bytes of one posting. */
export const POSTING_BYTES = 4

/** The most bytes in `recent`, and in `removed`. */
export const RECENT_BYTES = RECENT_MAX * POSTING_BYTES

/** SQL: the segment of the memory `m`. */
export const SEGMENT = sql<number>`((m.number - 1) / ${sql.lit(SEGMENT_SIZE)})`

const PLACE = sql`(((m.number - 1) % ${sql.lit(SEGMENT_SIZE)}) << 20)`

/** SQL: the posting of the memory `m` for its lexeme at `positions`; without positions it counts as one occurrence. */
export const postingOf = (positions: RawBuilder<unknown>): RawBuilder<Buffer> =>
  sql`int4send(${PLACE} | (least(coalesce(cardinality(${positions}), 1), ${sql.lit(OCCURRENCES_MAX)}) << 12)
    | least(m.length, ${sql.lit(LENGTH_MAX)}))`

/** SQL: a posting of the memory `m` with only its place, as in `removed`. */
export const PLACE_ONLY = sql<Buffer>`int4send(${PLACE})`

const placeAt = (postings: RawBuilder<unknown>, at: RawBuilder<unknown>) =>
  // Every operation needs parentheses, because Postgres gives these operators the same precedence.
  sql`((get_byte(${postings}, ${at}) << 4) | (get_byte(${postings}, ${at} + 1) >> 4))`

/** SQL: the postings of one string whose places do not occur in another. */
export function without(postings: RawBuilder<unknown>, removed: RawBuilder<unknown>): RawBuilder<Buffer> {
  // `offset 0`: a value stored outside the row is fetched once, not for every byte.
  return sql`
    case when ${removed} = '' then ${postings} else (
      select coalesce(string_agg(substr(given.postings, at + 1, 4), ''), '')
      from (select ${postings} || ''::bytea as postings offset 0) given,
        generate_series(0, octet_length(given.postings) - 1, 4) at
      where ${placeAt(sql`given.postings`, sql`at`)} <> all(array(
        select ${placeAt(removed, sql`gone`)} from generate_series(0, octet_length(${removed}) - 1, 4) gone))
    ) end`
}

/** A memory's place in its segment, from 0. */
export const placeOf = (posting: number): number => posting >>> 20
/** How often the lexeme occurs in the text; 255 means that or more. */
export const occurrencesOf = (posting: number): number => (posting >>> 12) & 0xff
/** The text's length in lexemes; `LENGTH_MAX` means that or more. */
export const lengthOf = (posting: number): number => posting & 0xfff

/** The segment that a memory's number is in. */
export const segmentOf = (number: number): number => Math.floor((number - 1) / SEGMENT_SIZE)

/** The number of the memory at a place of a segment. */
export const numberAt = (segment: number, place: number): number => segment * SEGMENT_SIZE + place + 1

/**
 * The valid postings of a row.
 * @param postings `entries` followed by `recent`
 */
export function unpack(postings: Buffer, removed: Buffer): Uint32Array {
  const all = words(postings)
  if (removed.length === 0) return all
  // `removed` refers to `entries`, which come first. A memory that was removed and added again is in
  // `recent`.
  const gone = new Set(Array.from(words(removed), placeOf))
  return all.filter((posting) => !gone.delete(placeOf(posting)))
}

function words(bytes: Buffer): Uint32Array {
  // A damaged string is searched as far as it goes; verification finds it.
  const copy = new Uint32Array(Math.floor(bytes.length / POSTING_BYTES))
  const target = Buffer.from(copy.buffer)
  bytes.copy(target)
  target.swap32()
  return copy
}
