import {
  LENGTH_MAX,
  lengthOf,
  numberAt,
  occurrencesOf,
  placeOf,
  SEGMENT_SIZE,
} from '@daybook/lexical-index/postings'
import type { YieldToEventLoop } from '@daybook/runtime/yield-to-event-loop'
import { coverage, idf, termScore } from '../../ranking/bm25.ts'
import type { BestScored } from './best-scored.ts'
import type { QuestionPostings, TermPostings } from './question-postings.ts'

/** Sums for the memories of one segment, by their place in it; all 0 before and after it is scored. */
interface Sums {
  readonly bm25: Float64Array
  readonly matchedIdf: Float64Array
  /** The places where a word was found. */
  readonly matched: Uint16Array
}

/**
 * Scores every memory that contains a word of the question: BM25 times the coverage factor (`ranking/bm25.ts` has the
 * formulas). Segment by segment, in arrays that stay in the processor's cache, and no object is made for a writer or a
 * memory: about 40 ns a writer.
 *
 * @param withCoverage off where no vector retriever runs beside it, as measured
 * @param best is offered each of them
 * @param among 1 at the number of each that counts; all do where it is absent
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

/** Adds what a word gives to the memories that have it. @returns how many places are matched now */
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
    const writer = postings[index] as number
    const place = placeOf(writer)
    const length = lengthOf(writer)
    const exact = length < LENGTH_MAX ? length : (longLengths.get(numberAt(segment, place)) ?? length)
    const matchedBefore = matchedIdf[place] as number
    if (matchedBefore === 0) matched[matches++] = place
    matchedIdf[place] = matchedBefore + weight
    const score = termScore(queryFrequency, weight, occurrencesOf(writer), exact, averageLength)
    bm25[place] = (bm25[place] as number) + score
  }
  return matches
}

/** A memory's score, with the coverage factor unless `questionIdf` is null. Its sums are 0 again. */
function take({ bm25, matchedIdf }: Sums, place: number, questionIdf: number | null): number {
  const covered = questionIdf === null ? 1 : coverage(matchedIdf[place] as number, questionIdf)
  const score = (bm25[place] as number) * covered
  bm25[place] = 0
  matchedIdf[place] = 0
  return score
}
