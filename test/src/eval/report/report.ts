import { percentile } from '../../support/percentile.ts'
import { mean, ndcgAt, recallAt, reciprocalRank } from '../metrics.ts'
import type { ScoreBin } from './reliability.ts'
import type { Unanswerable } from './score-floors.ts'

/** The measures of every question, in the order of the tables. */
export const MEASURES = ['recall@5', 'recall@10', 'recall@20', 'recall@50', 'nDCG@10', 'MRR'] as const
export type Measure = (typeof MEASURES)[number]
/** Each measure's value, from 0 to 1. */
export type Measures = Readonly<Record<Measure, number>>

/** An evaluation, as written to `report.json` and read for comparisons. */
export interface Report {
  /** The version of this format. */
  readonly version: 1
  /** The collection's name. */
  readonly data: string
  /** When it was made, in RFC 3339. */
  readonly at: string
  /** The sources' commit, with `-dirty` if they were changed since; null outside a repository. */
  readonly commit: string | null
  /** Describes the Daybook that was asked. */
  readonly daybook: string
  readonly groups: number
  readonly memories: number
  readonly methods: readonly MethodReport[]
}

/** The results of one method. */
export interface MethodReport {
  readonly name: string
  readonly all: Summary
  /** Empty if the collection has no categories. */
  readonly categories: Readonly<Record<string, Summary>>
  readonly questions: readonly QuestionReport[]
  /** Scores of all hits against judgements; absent in comparisons, older reports and for peers. */
  readonly reliability?: readonly ScoreBin[]
  /** For an ablation: the name of the method with all terms. */
  readonly whole?: string
  /** For a peer. */
  readonly peer?: PeerMeasures
  /** Absent if no questions without an answer were asked. */
  readonly unanswerable?: Unanswerable
}

/** What is measured of peers beside their answers. */
export interface PeerMeasures {
  /**
   * Milliseconds from the beginning of a write until a search that finds it has answered; null if it was not
   * found in time. Searches follow each other without a pause, so one search is the resolution.
   */
  readonly findableMs: { readonly p50: number; readonly p95: number } | null
  /** How many memories it took in each second, embedding them included where the peer waits for that. */
  readonly storedPerSecond: number
}

/** Means over questions. */
export interface Summary {
  readonly questions: number
  readonly measures: Measures
  readonly latencyMs: { readonly p50: number; readonly p95: number }
}

/** The results of one question. */
export interface QuestionReport {
  readonly id: string
  readonly question: string
  readonly category: string | null
  /** The rank of each relevant memory among the hits, from 1; null if it was not among them. */
  readonly ranks: Readonly<Record<string, number | null>>
  readonly measures: Measures
  readonly ms: number
}

/** A question with its judgements. */
export interface Judged {
  readonly id: string
  readonly text: string
  readonly category: string | null
  readonly relevant: ReadonlyMap<string, number>
}

/** Measures one answer. */
export function reportQuestion(
  { id, text, category, relevant }: Judged,
  { found, ms }: { readonly found: readonly string[]; readonly ms: number },
): QuestionReport {
  const rank = (memory: string) => {
    const index = found.indexOf(memory)
    return index === -1 ? null : index + 1
  }
  return {
    id,
    question: text,
    category,
    ranks: Object.fromEntries([...relevant.keys()].map((memory) => [memory, rank(memory)])),
    measures: rounded({
      'recall@5': recallAt(5, found, relevant),
      'recall@10': recallAt(10, found, relevant),
      'recall@20': recallAt(20, found, relevant),
      'recall@50': recallAt(50, found, relevant),
      'nDCG@10': ndcgAt(10, found, relevant),
      MRR: reciprocalRank(found, relevant),
    }),
    ms: Math.round(ms * 10) / 10,
  }
}

/** Sums up a method's questions, over all and by category. */
export function reportMethod(name: string, questions: readonly QuestionReport[]): MethodReport {
  const categories = [...new Set(questions.flatMap(({ category }) => category ?? []))].toSorted()
  return {
    name,
    all: summarise(questions),
    categories: Object.fromEntries(
      categories.map((one) => [one, summarise(questions.filter(({ category }) => category === one))]),
    ),
    questions,
  }
}

function summarise(questions: readonly QuestionReport[]): Summary {
  const times = questions.map(({ ms }) => ms)
  return {
    questions: questions.length,
    measures: rounded(
      Object.fromEntries(
        MEASURES.map((measure) => [measure, mean(questions.map(({ measures }) => measures[measure]))]),
      ) as Measures,
    ),
    latencyMs: { p50: percentile(times, 0.5), p95: percentile(times, 0.95) },
  }
}

/** Rounds: meaningless digits would make a committed baseline unreadable. */
function rounded(measures: Measures): Measures {
  return Object.fromEntries(
    MEASURES.map((measure) => [measure, Math.round(measures[measure] * 1e5) / 1e5]),
  ) as Measures
}
