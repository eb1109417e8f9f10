import {
  LENGTH_MAX,
  lengthOf,
  numberAt,
  occurrencesOf,
  placeOf,
  SEGMENT_SIZE,
} from '@daybook/lexical-index/postings'
import type { YieldToEventLoop } from '@daybook/runtime/timers'
import { coverage, idf, termScore } from '../../ranking/bm25.ts'
import type { BestScored } from './best-scored.ts'
import type { QuestionPostings, TermPostings } from './question-postings.ts'

/**
 * Sums for the memories of one segment, by their place in it. All are 0 before and after a segment is scored.
 */
interface Sums {
  readonly bm25: Float64Array
  readonly matchedIdf: Float64Array
  /** The places where a word was found. */
  readonly matched: Uint16Array
}

/**
 * Scores every memory that contains a word of the question: BM25 times the coverage factor (`ranking/bm25.ts`
 * has the formulas). Works segment by segment, in arrays that stay in the processor's cache, without an
 * object for each posting or memory: about 40 ns per posting.
 *
 * @param withCoverage false if no vector retriever runs too, as measured
 * @param best is offered each of them
 * @param among holds 1 at the number of each memory that counts; all count if it is absent
 */
export async function scorePostings(
  question: QuestionPostings,
  withCoverage: boolean,
  turns: YieldToEventLoop,
  best: BestScored,
  among?: Uint8Array,
): Promise<void> {
  const weights = new Map(
    question.terms.map((term) => [term, idf(question.documents, term.documentFrequency)]),
  )
  let questionIdf = 0
  for (const weight of weights.values()) questionIdf += weight
  const sums: Sums = {
    bm25: new Float64Array(SEGMENT_SIZE),
    matchedIdf: new Float64Array(SEGMENT_SIZE),
    matched: new Uint16Array(SEGMENT_SIZE),
  }

  for (const [segment, found] of question.segments) {
    let matches = 0
    for (const one of found) matches = add(sums, matches, question, segment, one, weights.get(one.term) ?? 0)
    for (let index = 0; index < matches; index += 1) {
      const place = sums.matched[index] as number
      const number = numberAt(segment, place)
      const score = take(sums, place, withCoverage ? questionIdf : null)
      if (among === undefined || among[number] === 1) best.offer(number, score)
    }
    await turns()
  }
}

/** Adds a word's scores to the memories that contain it. @returns the number of places matched so far */
function add(
  { bm25, matchedIdf, matched }: Sums,
  matchesBefore: number,
  { averageLength, longLengths }: QuestionPostings,
  segment: number,
  { term, postings }: TermPostings,
  weight: number,
): number {
  if (weight === 0) return matchesBefore
  const { queryFrequency } = term
  let matches = matchesBefore
  for (let index = 0; index < postings.length; index += 1) {
    const posting = postings[index] as number
    const place = placeOf(posting)
    const length = lengthOf(posting)
    const exact = length < LENGTH_MAX ? length : (longLengths.get(numberAt(segment, place)) ?? length)
    const matchedBefore = matchedIdf[place] as number
    if (matchedBefore === 0) matched[matches++] = place
    matchedIdf[place] = matchedBefore + weight
    const score = termScore(queryFrequency, weight, occurrencesOf(posting), exact, averageLength)
    bm25[place] = (bm25[place] as number) + score
  }
  return matches
}

/**
 * Returns a memory's score and resets its sums to 0. Applies the coverage factor unless `questionIdf` is
 * null.
 */
function take({ bm25, matchedIdf }: Sums, place: number, questionIdf: number | null): number {
  const covered = questionIdf === null ? 1 : coverage(matchedIdf[place] as number, questionIdf)
  const score = (bm25[place] as number) * covered
  bm25[place] = 0
  matchedIdf[place] = 0
  return score
}
