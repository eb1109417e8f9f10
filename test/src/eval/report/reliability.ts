/** The hits whose score falls into one range. */
export interface ScoreBin {
  /** The range of scores, `to` exclusive; the last bin includes 1. */
  readonly from: number
  readonly to: number
  readonly hits: number
  /** How many of them are relevant. */
  readonly relevant: number
  /** The mean of their scores; 0 without hits. */
  readonly meanScore: number
}

/** A hit's score, and whether the judgements call it relevant. */
export interface JudgedHit {
  readonly score: number
  readonly relevant: boolean
}

const BINS = 10

/**
 * Sorts hits into ten ranges of scores, for a reliability diagram: if scores are probabilities, the share of
 * relevant hits in a range is its mean score. A hit without a judgement counts as not relevant, so a
 * collection that judges few of its memories makes every score look too high.
 *
 * Source: DeGroot and Fienberg, "The comparison and evaluation of forecasters" (1983).
 */
export function reliability(hits: readonly JudgedHit[]): ScoreBin[] {
  const bins = Array.from({ length: BINS }, () => ({ hits: 0, relevant: 0, sum: 0 }))
  for (const { score, relevant } of hits) {
    const bin = bins[Math.min(BINS - 1, Math.max(0, Math.floor(score * BINS)))]
    if (bin === undefined) throw new RangeError(`a score must be a number from 0 to 1, not ${score}`)
    bin.hits += 1
    bin.relevant += relevant ? 1 : 0
    bin.sum += score
  }
  return bins.map(({ hits: count, relevant, sum }, index) => ({
    from: index / BINS,
    to: (index + 1) / BINS,
    hits: count,
    relevant,
    meanScore: count === 0 ? 0 : Math.round((sum / count) * 1e5) / 1e5,
  }))
}

/** The share of a bin's hits that are relevant; 0 without hits. */
export const relevantShare = ({ hits, relevant }: ScoreBin) => (hits === 0 ? 0 : relevant / hits)

/**
 * The expected calibration error, 0 to 1: the mean distance between score and share of relevant hits, each
 * bin weighted by its hits. 0 if there are no hits.
 *
 * Source: Naeini, Cooper and Hauskrecht, "Obtaining well calibrated probabilities using Bayesian binning"
 * (AAAI 2015).
 */
export function calibrationError(bins: readonly ScoreBin[]): number {
  const all = bins.reduce((sum, { hits }) => sum + hits, 0)
  if (all === 0) return 0
  return bins.reduce((sum, bin) => sum + (bin.hits / all) * Math.abs(bin.meanScore - relevantShare(bin)), 0)
}
