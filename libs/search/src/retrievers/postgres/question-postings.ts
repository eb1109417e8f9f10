import { languageOf } from '@daybook/lexical-index/lexemes'
import {
  LENGTH_MAX,
  lengthOf,
  numberAt,
  placeOf,
  postingOf,
  SEGMENT,
  unpack,
} from '@daybook/lexical-index/postings'
import { questionWords } from '@daybook/memory/fold-words'
import type { LiveReadModel } from '@daybook/pgvector/read/live-read-model'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { YieldToEventLoop } from '@daybook/runtime/timers'
import { type RawBuilder, sql } from 'kysely'
import type { RetrieverInput } from '../query-terms.ts'
import { closestLexemes, mayHaveClosest } from './closest-lexemes.ts'

/** A distinct lexeme of the question. */
export interface QuestionTerm {
  readonly lexeme: string
  /** How often it occurs in the question. */
  readonly queryFrequency: number
  /** The number of live memories that contain it. */
  documentFrequency: number
}

/** One lexeme's postings in one segment of the index. */
export interface TermPostings {
  readonly term: QuestionTerm
  readonly postings: Uint32Array
}

/** What the lexical index knows about a question's words. */
export interface QuestionPostings {
  /** n: the number of the project's live memories. */
  readonly documents: number
  /** avgdl: their mean length in lexemes, at least 1. */
  readonly averageLength: number
  /** The terms that some memory contains. */
  readonly terms: readonly QuestionTerm[]
  /**
   * Postings by segment number. Within a segment, terms are in the order in which the question first mentions
   * them.
   */
  readonly segments: ReadonlyMap<number, readonly TermPostings[]>
  /** The lengths of memories whose postings only say that they are long, by number. */
  readonly longLengths: ReadonlyMap<number, number>
}

interface Row {
  /** Its place in the question, from 1. */
  readonly term: number
  readonly lexeme: string
  readonly query_frequency: number
  /** Null, like its postings, for a lexeme that no memory has. */
  readonly segment: number | null
  readonly postings: Buffer | null
  readonly removed: Buffer | null
  /** For a lexeme that no memory has: the word as it was written. */
  readonly word: string | null
  /** Whether it does not count among the live memories with the word. */
  readonly forgotten: boolean
  readonly documents: number
  readonly total_length: number
}

type FoundRow = Row & { readonly segment: number; readonly postings: Buffer; readonly removed: Buffer }

/**
 * Reads the postings of the question's lexemes and the project's statistics in one statement, and so in one
 * snapshot. Further statements follow if needed: for the closest matches of words that no memory contains,
 * and for the lengths of memories with 4,095 lexemes or more.
 *
 * @param wanted the question's words; Postgres turns them into lexemes as it did the texts
 */
export async function readQuestionPostings(
  input: RetrieverInput,
  wanted: string,
  turns: YieldToEventLoop,
): Promise<QuestionPostings> {
  const language = languageOf(input.readModel.tables, input.scope.projectId)
  const text = questionWords(wanted)
  const rows = await readRows(
    input,
    sql`
      select lexeme, cardinality(positions) as query_frequency,
        row_number() over (order by positions[1], lexeme)::int as term
      from unnest(to_tsvector(${language}, ${text}))`,
    sql`(select min(token) from ts_debug(${language}, ${text}) where found.lexeme = any(lexemes))`,
  )
  const found = [...rows.filter(isFound), ...(await readClosest(input, wanted, rows, turns))]
  // Sorted here, because the database would move whole postings around. The order matters: sums of the same
  // numbers in the same order are equal.
  const ordered = found.toSorted((one, other) => one.term - other.term)
  const { terms, segments, long } = await gather(ordered, turns)
  const { documents = 0, total_length = 0 } = rows[0] ?? {}
  return {
    documents,
    averageLength: Math.max(total_length / Math.max(documents, 1), 1),
    terms,
    segments,
    longLengths: await readLengths(input.scope, input.readModel, [...long]),
  }
}

/**
 * Reads the rows of terms.
 *
 * @param terms as a query: lexeme, query_frequency, term
 * @param word of `found.lexeme`; asked for only where no memory has it
 */
async function readRows(
  { scope, readModel, includeForgotten, everSaid = false }: RetrieverInput,
  terms: RawBuilder<unknown>,
  word: RawBuilder<unknown> = sql`null`,
): Promise<Row[]> {
  const { projectId, db } = scope
  const { memories, postings, formerPostings, lexicalStats } = readModel.tables
  // Forgotten memories are not in the index; their postings are made here.
  const forgotten = includeForgotten
    ? sql`
      union all
      select t.term, t.lexeme, t.query_frequency, ${SEGMENT}, string_agg(${postingOf(sql`u.positions`)}, ''), ''::bytea, true
      from ${memories} m cross join lateral unnest(m.lexemes) u join terms t on t.lexeme = u.lexeme
      where m.project_id = ${projectId} and m.forgotten
      group by 1, 2, 3, 4`
    : sql``
  const former = sql`
    union all
    select t.term, t.lexeme, t.query_frequency, p.segment, p.postings, p.removed, true
    from terms t cross join lateral (
      select segment, entries || recent as postings, removed from ${formerPostings}
      where project_id = ${projectId} and lexeme = t.lexeme offset 0
    ) p`
  // `offset 0` makes the planner look up each term by key. Without it, the embedded database, which gathers
  // no statistics, might scan all postings.
  const { rows } = await sql<Row>`
    with terms as materialized (${terms}), found as (
      select t.term, t.lexeme, t.query_frequency, p.segment, p.postings, p.removed, false as forgotten
      from terms t left join lateral (
        select segment, entries || recent as postings, removed from ${postings}
        where project_id = ${projectId} and lexeme = t.lexeme offset 0
      ) p on true ${everSaid ? former : forgotten}
    )
    select found.*, case when found.segment is null then ${word} end as word,
      stats.memories as documents, stats.total_length
    from found cross join (select * from ${lexicalStats} where project_id = ${projectId}) stats`.execute(db)
  return rows
}

const isFound = (row: Row): row is FoundRow => row.segment !== null

/** The postings of the lexemes closest to those that no memory has, with the terms they replace. */
async function readClosest(
  input: RetrieverInput,
  wanted: string,
  rows: readonly Row[],
  turns: YieldToEventLoop,
): Promise<FoundRow[]> {
  const known = new Set(rows.filter(isFound).map((row) => row.lexeme))
  const unknown = rows.filter((row) => !known.has(row.lexeme))
  if (unknown.length === 0 || !mayHaveClosest(wanted)) return []
  const words = unknown.flatMap(({ lexeme, word }) => (word === null ? [] : [{ lexeme, word }]))
  const closest = await closestLexemes(input, words, turns)
  const terms = unknown.flatMap((row) => {
    const lexeme = closest.get(row.lexeme)
    // Skips a lexeme that already counts, because the question contains it or another misspelling of it.
    if (lexeme === undefined || known.has(lexeme)) return []
    known.add(lexeme)
    return [{ ...row, lexeme }]
  })
  if (terms.length === 0) return []
  const found = await readRows(
    input,
    sql`
      select * from unnest(
        ${terms.map(({ lexeme }) => lexeme)}::text[], ${terms.map((term) => term.query_frequency)}::int[], ${terms.map(({ term }) => term)}::int[]
      ) given(lexeme, query_frequency, term)`,
  )
  return found.filter(isFound)
}

/**
 * Groups the rows by term and by segment, and collects the numbers of memories whose lengths have to be
 * looked up.
 */
async function gather(
  rows: readonly FoundRow[],
  turns: YieldToEventLoop,
): Promise<Pick<QuestionPostings, 'terms' | 'segments'> & { readonly long: ReadonlySet<number> }> {
  const terms = new Map<number, QuestionTerm>()
  const segments = new Map<number, TermPostings[]>()
  const long = new Set<number>()
  for (const row of rows) {
    const postings = unpack(row.postings, row.removed)
    for (const posting of postings)
      if (lengthOf(posting) === LENGTH_MAX) long.add(numberAt(row.segment, placeOf(posting)))
    const term = terms.get(row.term) ?? {
      lexeme: row.lexeme,
      queryFrequency: row.query_frequency,
      documentFrequency: 0,
    }
    terms.set(row.term, term)
    // Word statistics are those of live memories, even if forgotten ones are searched too.
    if (!row.forgotten) term.documentFrequency += postings.length
    const others = segments.get(row.segment)
    if (others === undefined) segments.set(row.segment, [{ term, postings }])
    else others.push({ term, postings })
    await turns()
  }
  return { terms: [...terms.values()], segments, long }
}

async function readLengths(
  { db, projectId }: ProjectScope,
  { tables }: LiveReadModel,
  numbers: readonly number[],
): Promise<Map<number, number>> {
  if (numbers.length === 0) return new Map()
  const { rows } = await sql<{ number: number; length: number }>`
    select number, length from ${tables.memories}
    where project_id = ${projectId} and number = any(${numbers}::int[])`.execute(db)
  return new Map(rows.map((row) => [row.number, row.length]))
}
