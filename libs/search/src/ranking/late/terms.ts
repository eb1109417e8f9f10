import type { RankingTerm } from '../ablation.ts'

/** The terms of a score, in the order of an explanation. */
export const TERMS = [
  'base',
  'pool',
  'own',
  'near',
  'session',
  'words',
  'vector',
  'speaker',
  'time',
  'length',
] as const
export type TermName = (typeof TERMS)[number]

/** A part of a score: `contribution = weight · value`, in log-odds. */
export interface ScoreTerm {
  readonly name: TermName
  readonly value: number
  readonly weight: number
  readonly contribution: number
}

/**
 * What each term weighs, in log-odds for one unit of its value. Fitted together on conversations, abstracts,
 * package descriptions and the bundled memories, then rounded: a third more or less of one of them moves
 * recall by less than .01 (`docs/measurements.md#late-interaction`).
 */
export const WEIGHTS: Readonly<Record<TermName, number>> = {
  /** With `pool`, makes the score a probability: over five collections it is off by .004 on average. */
  base: -2.2,
  /**
   * The logarithm of how many memories can become hits. The more there are, the likelier a match is an
   * accident: without it, the right one of five memories had .01.
   */
  pool: -1.5,
  /** How well the memory's own tokens match (`ownMatch`, up to .5); while it is not embedded, `own` and `near` are estimated from its words. */
  own: 6,
  /** How well it matches together with those of two memories on each side that could become hits, too (`nearMatch`, up to 1). */
  near: 6,
  /**
   * The best such match in its context, as far as the memory continues a neighbour; its own without a context. Brings .01 recall in
   * conversations.
   */
  session: 1.5,
  /** Exact words: the lexical score as a share of what all words of the question could have (`wordsShare`). */
  words: 3,
  /** The cosine of the vectors. Conversations need it least, Cranfield most: .01 nDCG. */
  vector: 1.5,
  /** 1 if a person named in the question speaks. Brings .03 recall in conversations. */
  speaker: 1.25,
  /** How near it is to a time that the question names (`rank-late.ts`); 0 for most questions. */
  time: 2,
  /** Doublings of its length beyond 64 tokens: the longer a text, the better its best token by chance. */
  length: -0.3,
}

/** The tokens from which on a text counts as long. */
export const LONG_TOKENS = 64

/** What an evaluation may leave out. `coverage` is part of the lexical retriever's score. */
const LEFT_OUT_BY: Readonly<Partial<Record<TermName, RankingTerm>>> = {
  own: 'own',
  near: 'neighbours',
  session: 'session',
  words: 'lexical',
  vector: 'vector',
  speaker: 'speaker',
  time: 'time',
  length: 'length',
}

/** The weight of each term: 0 for those that an evaluation leaves out. */
export function termWeights(without: ReadonlySet<RankingTerm>): Readonly<Record<TermName, number>> {
  const kept = { ...WEIGHTS }
  for (const name of TERMS) {
    const by = LEFT_OUT_BY[name]
    if (by !== undefined && without.has(by)) kept[name] = 0
  }
  return kept
}

/** What terms with these values add up to. */
export function logOddsOf(
  values: Readonly<Record<TermName, number>>,
  weights: Readonly<Record<TermName, number>>,
): number {
  let sum = 0
  for (const name of TERMS) sum += weights[name] * values[name]
  return sum
}

/** The terms with these values, as an explanation has them: their contributions add up to `logOddsOf`. */
export const scoreTerms = (
  values: Readonly<Record<TermName, number>>,
  weights: Readonly<Record<TermName, number>>,
): ScoreTerm[] =>
  TERMS.map((name) => {
    const [value, weight] = [values[name], weights[name]]
    return { name, value, weight, contribution: weight * value }
  })

/** The probability with these log-odds. */
export const probability = (logOdds: number): number => 1 / (1 + Math.exp(-logOdds))
