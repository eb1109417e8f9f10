import { mean } from '../metrics.ts'

/** What a search would answer that leaves out hits whose score is below a floor. */
export interface ScoreFloor {
  readonly floor: number
  /** The share of the questions without an answer that still get a hit. */
  readonly falsePositives: number
  /** How many of the first ten hits such a question still gets, on average over all of them. */
  readonly wrongHits: number
  /** The share of the questions with an answer that get no relevant hit among the first ten. */
  readonly falseNegatives: number
  /** recall@10 of the questions with an answer. */
  readonly recall: number
}

/** How well scores tell questions with an answer from those without. */
export interface Unanswerable {
  /** How many questions without an answer were asked. */
  readonly questions: number
  /**
   * The area under the ROC curve: the probability that the best hit of a question with an answer scores
   * higher than that of one without. .5 is chance.
   */
  readonly auc: number
  readonly floors: readonly ScoreFloor[]
}

/** The scores of an answer to a question that has an answer, best first. */
export interface ScoredAnswer {
  readonly hits: readonly { readonly score: number; readonly relevant: boolean }[]
  /** How many relevant memories there are. */
  readonly relevant: number
}

/** How many hits a search shows: the API's default limit. */
const SHOWN = 10
const FLOORS = Array.from({ length: 20 }, (_, index) => index / 20)

/**
 * Measures floors from 0 to .95 in steps of .05.
 * @param answered answers to questions that have an answer
 * @param unanswerable the scores of the answers to questions that have none, best first
 */
export function scoreFloors(
  answered: readonly ScoredAnswer[],
  unanswerable: readonly (readonly number[])[],
): Unanswerable {
  const floors = FLOORS.map((floor) => {
    const wrong = unanswerable.map((scores) => scores.slice(0, SHOWN).filter((one) => one >= floor).length)
    const right = answered.map(
      ({ hits }) => hits.slice(0, SHOWN).filter(({ score, relevant }) => relevant && score >= floor).length,
    )
    return {
      floor,
      falsePositives: rounded(mean(wrong.map((hits) => (hits > 0 ? 1 : 0)))),
      wrongHits: rounded(mean(wrong)),
      falseNegatives: rounded(mean(right.map((hits) => (hits > 0 ? 0 : 1)))),
      recall: rounded(mean(right.map((hits, index) => hits / (answered[index]?.relevant ?? 1)))),
    }
  })
  const best = answered.map(({ hits }) => Math.max(0, ...hits.map(({ score }) => score)))
  return {
    questions: unanswerable.length,
    auc: rounded(
      areaUnderCurve(
        best,
        unanswerable.map((scores) => Math.max(0, ...scores)),
      ),
    ),
    floors,
  }
}

/** The floor at which false positives and false negatives together are fewest; the lowest of equals. */
export function bestFloor({ floors }: Unanswerable): ScoreFloor | undefined {
  const wrong = ({ falsePositives, falseNegatives }: ScoreFloor) => falsePositives + falseNegatives
  return floors.toSorted((one, other) => wrong(one) - wrong(other) || one.floor - other.floor)[0]
}

/** The share of pairs in which the first list's value is higher; equal values count half. */
function areaUnderCurve(higher: readonly number[], lower: readonly number[]): number {
  const won = higher.map((one) => mean(lower.map((other) => (one > other ? 1 : one === other ? 0.5 : 0))))
  return mean(won)
}

const rounded = (value: number) => Math.round(value * 1e5) / 1e5
