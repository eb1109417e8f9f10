import { ID_BEGINNING } from '@daybook/memory/word-parts'
import type { YieldToEventLoop } from '@daybook/runtime/timers'
import damerauLevenshtein from 'damerau-levenshtein'
import { type RawBuilder, sql } from 'kysely'
import type { QueryTerm, RetrieverInput } from '../query-terms.ts'

/**
 * The letters from which one typo is forgiven, and from which two are. Shorter words and numbers must be
 * right. With fewer letters, correct words that no memory contains were taken for others
 * (`docs/measurements.md#forgiving-typos`).
 */
const ONE_TYPO_FROM = 7
const TWO_TYPOS_FROM = 11

/** Whether a text has a word in which a typo may be forgiven, or that may be the beginning of an id. */
export const mayHaveClosest = (text: string): boolean => LONG_WORD.test(text) || /\d/u.test(text)

const LONG_WORD = new RegExp(`\\p{L}{${ONE_TYPO_FROM}}`, 'u')

/** How much longer an id may be than what is asked for. */
const ID_REST = 64

/** Longer words are not natural language, and comparing two of 2,000 letters takes 40 ms. */
const TYPOS_UP_TO = 64

/**
 * Letters at the beginning that are assumed to be right, so that not every word of a project has to be
 * compared.
 */
const RIGHT_LETTERS = 2

/** How many typos are forgiven in a word. */
export function typosForgiven(word: string): 0 | 1 | 2 {
  if (!/^\p{L}+$/u.test(word) || word.length < ONE_TYPO_FROM || word.length > TYPOS_UP_TO) return 0
  return word.length < TWO_TYPOS_FROM ? 1 : 2
}

/**
 * What words that no memory contains may have meant: for each, the lexeme of the project with the fewest
 * typos between them (Damerau-Levenshtein: letters missing, added, wrong or swapped), and of several the most
 * frequent. Both the written and the stemmed word are compared, since a typo at the end misleads the stemmer:
 * "compas" becomes "compa". The beginning of an id means the id.
 *
 * @param unknown words with lexemes that no memory has
 * @returns the closest lexeme by unknown lexeme; without those that have none
 */
export async function closestLexemes(
  input: Pick<RetrieverInput, 'scope' | 'readModel'>,
  unknown: readonly Pick<QueryTerm, 'lexeme' | 'word'>[],
  turns: YieldToEventLoop,
): Promise<ReadonlyMap<string, string>> {
  const asked = new Map(
    unknown
      .filter(({ word }) => typosForgiven(word) > 0 || isIdBeginning(word))
      .map(({ lexeme, word }) => [lexeme, word.toLowerCase()]),
  )
  if (asked.size === 0) return new Map()
  const closest = new Map<string, Closest>()
  for (const { asked: lexeme, known } of await lexemesLike(input, asked)) {
    const word = asked.get(lexeme) ?? lexeme
    const typos = isIdBeginning(word)
      ? 0
      : Math.min(damerauLevenshtein(lexeme, known).steps, damerauLevenshtein(word, known).steps)
    const best = closest.get(lexeme)
    if (typos <= typosForgiven(word) && (best === undefined || typos <= best.typos))
      closest.set(lexeme, { typos, lexemes: [...(best?.typos === typos ? best.lexemes : []), known] })
    await turns()
  }
  const several = [...closest.values()].flatMap(({ lexemes }) => (lexemes.length > 1 ? lexemes : []))
  const sizes = await sizesOf(input, several)
  const bySize = (one: string, other: string) =>
    (sizes.get(other) ?? 0) - (sizes.get(one) ?? 0) || (one < other ? -1 : 1)
  return new Map(
    Array.from(closest, ([lexeme, { lexemes }]) => [lexeme, lexemes.toSorted(bySize)[0] ?? lexeme]),
  )
}

const isIdBeginning = (word: string): boolean => ID_BEGINNING.test(word.toLowerCase())

/** Lexemes of the project with the same number of typos. */
interface Closest {
  readonly typos: number
  readonly lexemes: readonly string[]
}

/**
 * The project's lexemes with the same beginning and about the same length as those asked for. Goes from one
 * lexeme to the next by the index, because a lexeme has a row in every segment; reading all rows took more
 * than twice as long with 100,000 memories.
 */
async function lexemesLike(
  { scope, readModel }: Pick<RetrieverInput, 'scope' | 'readModel'>,
  asked: ReadonlyMap<string, string>,
): Promise<{ asked: string; known: string }[]> {
  const [lexemes, words] = [[...asked.keys()], [...asked.values()]]
  const after = (least: RawBuilder<unknown>, comparison: RawBuilder<unknown>) => sql`
    select lexeme from ${readModel.tables.postings}
    where project_id = ${scope.projectId} and lexeme ${comparison} ${least} and lexeme < given.beyond
    order by lexeme limit 1`
  const { rows } = await sql<{ asked: string; known: string }>`
    select given.lexeme as asked, known.lexeme as known
    from unnest(
      ${lexemes}::text[], ${lexemes.map(beginning)}::text[], ${lexemes.map(beyond)}::text[],
      ${lexemes.map((lexeme, at) => lexeme.length - typosForgiven(words[at] ?? ''))}::int[],
      ${words.map((word) => word.length + (isIdBeginning(word) ? ID_REST : typosForgiven(word)))}::int[]
    ) given(lexeme, beginning, beyond, shortest, longest) cross join lateral (
      with recursive known as (
        (${after(sql`given.beginning`, sql`>=`)})
        union all
        select next.lexeme from known cross join lateral (${after(sql`known.lexeme`, sql`>`)}) next
      )
      select lexeme from known
      where length(lexeme) between given.shortest and given.longest
    ) known`.execute(scope.db)
  return rows
}

/** The bytes of the lexemes' postings, as a measure of their frequency. */
async function sizesOf(
  { scope, readModel }: Pick<RetrieverInput, 'scope' | 'readModel'>,
  lexemes: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (lexemes.length === 0) return new Map()
  const { rows } = await sql<{ lexeme: string; bytes: number }>`
    select lexeme, sum(octet_length(entries) + octet_length(recent))::bigint as bytes
    from ${readModel.tables.postings}
    where project_id = ${scope.projectId} and lexeme = any(${lexemes}::text[]) group by lexeme`.execute(
    scope.db,
  )
  return new Map(rows.map(({ lexeme, bytes }) => [lexeme, bytes]))
}

const beginning = (lexeme: string) => (isIdBeginning(lexeme) ? lexeme : lexeme.slice(0, RIGHT_LETTERS))

/** The first string after all those with the lexeme's beginning. */
function beyond(lexeme: string): string {
  const begins = beginning(lexeme)
  const last = begins.codePointAt(begins.length - 1) ?? 0
  return begins.slice(0, -1) + String.fromCodePoint(last + 1)
}
