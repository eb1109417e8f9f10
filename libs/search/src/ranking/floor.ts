import type { RankedHit } from './rank.ts'

/**
 * What an answer must reach so that it is not taken for an accident. Belongs to a model, as scores and cosines
 * do. `docs/measurements.md#what-is-not-relevant` has what it cuts, rightly and wrongly.
 */
export interface Floor {
  /** The score that the best hit must have, else nothing is a hit. 0 to 1, where tokens were compared. */
  readonly answer: number
  /** The same where the question names somebody, or something, of whom no memory of the project says a word. */
  readonly stranger: number
  /** The same where it has an identifier, a version or a flag that no memory of the project has. */
  readonly unnamed: number
  /** The memories from which on `answer` counts: among few, right answers score as low as wrong ones. */
  readonly fromMemories: number
  /**
   * The share of the question's words (`late/weighted-tokens.ts`) that a text must have so that the best score does
   * not matter: labels and days are words of a memory, too, but not among its tokens.
   */
  readonly wordsShare: number
  /** The cosine that the nearest must have where no memory has a word of the question. */
  readonly cosine: number
  /** The same where the model does not know the words either. */
  readonly unheard: number
}

/** What is known of a question whose tokens were compared. */
export interface FloorCase {
  /** The memories of the project. */
  readonly memories: number
  /** Whether the question names a stranger (`sessions.ts`). */
  readonly stranger: boolean
  /** Whether it has an identifier, a version or a flag that no memory has (`exactNames`). */
  readonly unnamed: boolean
  /** Whether neither the model nor the project knows its words (`sessions.ts`). */
  readonly unheard: boolean
}

/** What the retrievers found, whichever of it is shown. */
export interface Evidence {
  /** The largest share of the question's words that a text has, 0 to 1; null if none has a word of it. */
  readonly wordsShare: number | null
  /** The cosine of the nearest; -1 if no vector was compared. */
  readonly nearest: number
}

/** The evidence in hits. */
export function evidenceOf(hits: readonly RankedHit[]): Evidence {
  let wordsShare: number | null = null
  let nearest = -1
  for (const { explanation } of hits)
    for (const { retriever, normalisedScore, rawScore } of explanation.retrievers)
      if (retriever === 'lexical') wordsShare = Math.max(wordsShare ?? 0, normalisedScore)
      else nearest = Math.max(nearest, rawScore)
  return { wordsShare, nearest }
}

/**
 * Whether hits are relevant enough to be an answer: not if the best is not, or if they are only neighbours of something.
 * Those behind a good one are not judged: a floor of .01 for each without a word of the question would lose
 * .02 recall on the bundled questions.
 *
 * @param best the score of the best hit; 0 if there is none
 * @param known null where no tokens were compared: then scores are relative, and only cosines tell something
 */
export function isAnswer(
  best: number,
  { wordsShare, nearest }: Evidence,
  floor: Floor,
  known: FloorCase | null,
): boolean {
  if (wordsShare === null && nearest < (known?.unheard === true ? floor.unheard : floor.cosine)) return false
  if (known === null) return true
  const answer = known.memories >= floor.fromMemories ? floor.answer : 0
  const least = Math.max(known.stranger ? floor.stranger : answer, known.unnamed ? floor.unnamed : 0)
  return best >= least || (wordsShare !== null && wordsShare >= floor.wordsShare)
}
