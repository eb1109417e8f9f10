import type { SearchAnswer, SearchRequest } from './search-request.ts'

/**
 * The share of the best score below which a hit is left out. With a tenth LoCoMo loses .001 recall@10 and the daily questions
 * nothing, and of ten hits six remain; a fifth loses .009.
 */
const LEAST_SHARE = 0.1

/** The most hits for which that is done: whoever asks for more wants to see what else there is. */
const CUT_UP_TO = 10

/**
 * An answer as it is shown: without the hits that are much less likely than the best, and how many those were in its message. Only where scores are
 * probabilities, and where the request does not say itself how likely a hit must be.
 */
export function withoutUnlikely<Answer extends Pick<SearchAnswer, 'hits' | 'message'>>(
  answer: Answer,
  { limit, minScore, floor = true }: Pick<SearchRequest, 'limit' | 'minScore' | 'floor'>,
): Answer {
  const [best] = answer.hits
  // What a query names by its kind is certain, and stands before what is only likely.
  const isProbability = answer.hits.some(({ explanation }) => explanation.terms.length > 0)
  if (best === undefined || !isProbability || limit > CUT_UP_TO || minScore !== undefined) return answer
  if (!floor) return answer
  const hits = answer.hits.filter(({ score }) => score >= best.score * LEAST_SHARE)
  const unlikely = answer.hits.length - hits.length
  if (unlikely === 0) return answer
  const said = `${unlikely} much less likely ${unlikely === 1 ? 'hit is' : 'hits are'} left out: a minScore of 0 shows them.`
  return { ...answer, hits, message: [...(answer.message === null ? [] : [answer.message]), said].join(' ') }
}
