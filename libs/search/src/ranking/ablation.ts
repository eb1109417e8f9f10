/**
 * What a score is made of, by the names that an evaluation uses to switch a term off:
 *
 * - `lexical`, `vector`: the retrievers' weights. What a retriever found stays a candidate.
 * - `coverage`: the share of the question's words that matched (`L` of `bm25.ts`).
 * - `neighbours`, `session`: what the memories around a hit add to it.
 * - `speaker`: the preference for what a person named in the question says.
 * - `time`: the preference for what happened at a time that the question names.
 * - `own`, `length`: how well a memory's own tokens match, and its length. Only where tokens are compared;
 *   `late/terms.ts` names the others' terms there.
 * - `tokens`: all of late interaction. The other ranking takes its place.
 */
export const RANKING_TERMS = [
  'lexical',
  'vector',
  'coverage',
  'neighbours',
  'session',
  'speaker',
  'time',
  'own',
  'length',
  'tokens',
] as const
export type RankingTerm = (typeof RANKING_TERMS)[number]
/** Tells the terms that searches leave out now. */
export type WithoutTerms = () => ReadonlySet<RankingTerm>
