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
  /** The memories from which on `answer` counts: among few, right answers score as low as wrong ones. */
  readonly fromMemories: number
  /**
   * The share of the question's words (`late/words-share.ts`) that a text must have so that the best score does
   * not matter: labels and days are words of a memory, too, but not among its tokens.
   */
  readonly words: number
  /** The cosine that the nearest must have where no memory has a word of the question. */
  readonly cosine: number
  /** The same where the model does not know the words either. */
  readonly unheard: number
}

/** What is known of a question whose tokens were compared. */
export interface FloorCase {
  /** The memories of the project. */
  readonly memories: number
  /** Whether the question names a stranger (`strangers.ts`). */
  readonly stranger: boolean
  /** Whether neither the model nor the project knows its words (`strangers.ts`). */
  readonly unheard: boolean
}

/**
 * The hits if they are relevant enough: none if the best is not, or if they are only neighbours of something.
 * Those behind a good one are not judged: a floor of .01 for each without a word of the question would lose
 * .02 recall on the bundled questions.
 *
 * @param ranked best first
 * @param known null where no tokens were compared: then scores are relative, and only cosines tell something
 */
export function aboveFloor(
  ranked: readonly RankedHit[],
  floor: Floor,
  known: FloorCase | null,
): readonly RankedHit[] {
  if (!ranked.some((hit) => hasWords(hit, 0))) {
    const nearest = Math.max(
      ...ranked.flatMap(({ explanation }) => explanation.retrievers.map(({ rawScore }) => rawScore)),
      -1,
    )
    if (nearest < (known?.unheard === true ? floor.unheard : floor.cosine)) return []
  }
  if (known === null) return ranked
  const answer = known.memories >= floor.fromMemories ? floor.answer : 0
  const least = known.stranger ? floor.stranger : answer
  if ((ranked[0]?.score ?? 0) < least && !ranked.some((hit) => hasWords(hit, floor.words))) return []
  return ranked.some(({ matchType }) => matchType !== 'CONTEXT') ? ranked : []
}

/** Whether a hit has at least such a share of the question's words. */
const hasWords = ({ explanation: { retrievers } }: RankedHit, share: number): boolean =>
  retrievers.some(({ retriever, normalisedScore }) => retriever === 'lexical' && normalisedScore >= share)
