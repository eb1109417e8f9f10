import { yieldToEventLoop } from '@daybook/runtime/timers'
import { sql } from 'kysely'
import { coverage, idf, termScore } from '../ranking/bm25.ts'
import type { RetrieverHit } from '../ranking/retriever.ts'
import { keepBest } from '../retrievers/postgres/best-scored.ts'
import { type QuestionPostings, readQuestionPostings } from '../retrievers/postgres/question-postings.ts'
import { scorePostings } from '../retrievers/postgres/score-postings.ts'
import { timed } from '../timed.ts'
import type { PastInput } from './past-input.ts'

/** The best scored memories whose texts are looked at first. Then all that have a word of the question are. */
const FIRST_LOOK = 1_000

interface Row {
  readonly memory_id: string
  readonly version: number
  readonly hash: string
  readonly length: number
  /** How often each of the question's terms is in the text. */
  readonly frequencies: number[]
}

/**
 * The lexical retriever of past texts. The indexes of present and of former words together lead to every
 * memory that ever said a word of the question; the texts themselves are then scored like present ones:
 *
 *   words ──▶ memories that ever said them, best first ──▶ their texts that satisfy the condition ──▶ scores
 *
 * Word statistics are those of the present.
 */
export function pastLexicalRetriever(
  input: PastInput,
  wanted: string,
  withCoverage: boolean,
): Promise<RetrieverHit[]> {
  return timed(input.onRetriever, 'lexical', () => bestTexts(input, wanted, withCoverage))
}

async function bestTexts(input: PastInput, wanted: string, withCoverage: boolean): Promise<RetrieverHit[]> {
  const turns = yieldToEventLoop()
  const postings = await readQuestionPostings(input, wanted, turns)
  const { terms } = postings
  if (terms.length === 0) return []
  const best = async (keep: number) => {
    const kept = keepBest(keep)
    await scorePostings(postings, withCoverage, turns, kept)
    return { numbers: kept.best().numbers, offered: kept.offered() }
  }
  const first = await best(FIRST_LOOK)
  const texts = await readTexts(input, postings, first.numbers)
  if (texts.length < input.limit && first.offered > FIRST_LOOK) {
    const all = await best(first.offered)
    texts.push(...(await readTexts(input, postings, all.numbers.slice(FIRST_LOOK))))
  }
  const score = scorerOf(postings, withCoverage)
  return texts
    .toSorted((one, other) => other.version - one.version)
    .map((row) => ({
      memoryId: input.texts.idOf({ memoryId: row.memory_id, version: row.version, hash: row.hash }),
      score: score(row),
    }))
    .toSorted((one, other) => other.score - one.score || (one.memoryId < other.memoryId ? -1 : 1))
    .slice(0, input.limit)
}

/** The texts of these memories that satisfy the condition and have a word of the question. */
async function readTexts(
  { scope, past, condition }: PastInput,
  { terms }: QuestionPostings,
  numbers: readonly number[],
): Promise<Row[]> {
  const lexemes = terms.map(({ lexeme }) => lexeme)
  const { rows } = await sql<Row>`
    select m.memory_id, m.version, encode(m.content_hash, 'hex') as hash, (select coalesce(sum(cardinality(positions)), 0) from unnest(m.lexemes)) as length,
      array(
        select coalesce(max(cardinality(u.positions)), 0)
        from unnest(${lexemes}::text[]) with ordinality as t(lexeme, term) left join unnest(m.lexemes) u on u.lexeme = t.lexeme
        group by t.term order by t.term
      ) as frequencies
    from unnest(${numbers}::int[]) as given(number) cross join lateral (
      select * from ${past} one where one.number = given.number offset 0
    ) m
    where tsvector_to_array(m.lexemes) && ${lexemes}::text[] and ${condition}`.execute(scope.db)
  return rows
}

/** BM25 of a text, as for present ones (`ranking/bm25.ts` has the formulas). */
function scorerOf({ terms, documents, averageLength }: QuestionPostings, withCoverage: boolean) {
  const weights = terms.map((term) => idf(documents, term.documentFrequency))
  const questionIdf = weights.reduce((sum, weight) => sum + weight, 0)
  return ({ frequencies, length }: Row): number => {
    let [score, matchedIdf] = [0, 0]
    for (const [index, { queryFrequency }] of terms.entries()) {
      const frequency = frequencies[index] ?? 0
      const weight = weights[index] ?? 0
      if (frequency === 0) continue
      matchedIdf += weight
      score += termScore(queryFrequency, weight, frequency, length, averageLength)
    }
    return withCoverage ? score * coverage(matchedIdf, questionIdf) : score
  }
}
