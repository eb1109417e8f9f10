import damerauLevenshtein from 'damerau-levenshtein'
import { sql } from 'kysely'
import type { LegInput } from './leg-input.ts'
import type { QueryTerm } from './query-terms.ts'
import type { Turns } from './turns.ts'

/**
 * Letters from which one typo is forgiven, and from which two are; shorter words and numbers must be right. From 5 and 8 on, as
 * Typesense does, words that were right and only in no memory were taken for others: the bundled questions' recall@10 fell from
 * .963 to .936; so it is .950.
 */
const ONE_TYPO_FROM = 7
const TWO_TYPOS_FROM = 11

/** Letters at the beginning that are taken to be right, so that not every word of a project has to be looked at. */
const RIGHT_LETTERS = 2

/** How many typos are forgiven in a word. */
export function typosForgiven(word: string): 0 | 1 | 2 {
  if (!/^\p{L}+$/u.test(word) || word.length < ONE_TYPO_FROM) return 0
  return word.length < TWO_TYPOS_FROM ? 1 : 2
}

/**
 * What words that are in no memory may have meant: for each the lexeme of the project with the fewest typos between them
 * (Damerau-Levenshtein: letters missing, too many, wrong or swapped), of several the most frequent. A word is compared as it was
 * written and as it was stemmed, since a typo at its end leads the stemmer astray: "compas" becomes "compa".
 *
 * @param unknown words with the lexemes that no memory has
 * @returns by unknown lexeme; without those that nothing is close to
 */
export async function closestLexemes(
  { scope, readModel }: Pick<LegInput, 'scope' | 'readModel'>,
  unknown: readonly Pick<QueryTerm, 'lexeme' | 'word'>[],
  turns: Turns,
): Promise<ReadonlyMap<string, string>> {
  const asked = new Map(
    unknown
      .filter(({ word }) => typosForgiven(word) > 0)
      .map(({ lexeme, word }) => [lexeme, word.toLowerCase()]),
  )
  if (asked.size === 0) return new Map()
  const [lexemes, words] = [[...asked.keys()], [...asked.values()]]
  const { rows } = await sql<{ asked: string; known: string; bytes: number }>`
    select given.lexeme as asked, p.lexeme as known, sum(p.bytes)::bigint as bytes
    from unnest(
      ${lexemes}::text[], ${words}::text[], ${lexemes.map(beginning)}::text[], ${lexemes.map(beyond)}::text[],
      ${words.map(typosForgiven)}::int[]
    ) given(lexeme, word, beginning, beyond, typos) cross join lateral (
      select lexeme, octet_length(entries) + octet_length(recent) as bytes
      from ${readModel.tables.postings}
      where project_id = ${scope.projectId} and lexeme >= given.beginning and lexeme < given.beyond
        and length(lexeme) between length(given.lexeme) - given.typos and length(given.word) + given.typos
      offset 0
    ) p
    group by given.lexeme, p.lexeme`.execute(scope.db)
  const closest = new Map<string, Candidate>()
  for (const { asked: lexeme, known, bytes } of rows) {
    const word = asked.get(lexeme) ?? lexeme
    const typos = Math.min(damerauLevenshtein(lexeme, known).steps, damerauLevenshtein(word, known).steps)
    const candidate = { known, typos, bytes }
    const best = closest.get(lexeme)
    if (typos <= typosForgiven(word) && (best === undefined || isCloser(candidate, best)))
      closest.set(lexeme, candidate)
    await turns()
  }
  return new Map(Array.from(closest, ([lexeme, { known }]) => [lexeme, known]))
}

interface Candidate {
  readonly known: string
  readonly typos: number
  /** Of its postings, which tells how frequent it is. */
  readonly bytes: number
}

const isCloser = (one: Candidate, other: Candidate) =>
  (one.typos - other.typos || other.bytes - one.bytes || (one.known < other.known ? -1 : 1)) < 0

const beginning = (lexeme: string) => lexeme.slice(0, RIGHT_LETTERS)

/** The first text after all that begin like the lexeme. */
function beyond(lexeme: string): string {
  const last = lexeme.codePointAt(RIGHT_LETTERS - 1) ?? 0
  return lexeme.slice(0, RIGHT_LETTERS - 1) + String.fromCodePoint(last + 1)
}
