import type { Group } from '../eval/collection.ts'
import { mean, ndcgAt, recallAt, reciprocalRank } from '../eval/metrics.ts'

/** The depths at which recall is measured. */
export const DEPTHS = [5, 10, 20] as const

/** Means over questions, each 0 to 1. */
export interface Means {
  readonly questions: number
  /** The share of a question's relevant memories among the first k, for each of `DEPTHS`. */
  readonly recall: readonly number[]
  /** The share of its sessions of which any memory is among the first k. Null if the collection has no sessions. */
  readonly sessions: readonly number[] | null
  readonly ndcg10: number
  readonly mrr: number
}

/** What a peer answered to a question. */
export interface Answered {
  readonly group: Group
  readonly question: Group['questions'][number]
  /** Ids of memories, best first. */
  readonly found: readonly string[]
}

/** Sums up answers. */
export function meansOf(answers: readonly Answered[]): Means {
  const over = (measure: (answer: Answered) => number) => rounded(mean(answers.map(measure)))
  const sessions = new Map(
    [...new Set(answers.map(({ group }) => group))].map((group) => [group, sessionsOf(group)]),
  )
  const bySession = [...sessions.values()].every((of) => of !== null)
  return {
    questions: answers.length,
    recall: DEPTHS.map((k) => over(({ found, question }) => recallAt(k, found, question.relevant))),
    sessions: bySession
      ? DEPTHS.map((k) =>
          over(({ group, question, found }) =>
            sessionRecallAt(k, found, question.relevant, sessions.get(group) ?? new Map()),
          ),
        )
      : null,
    ndcg10: over(({ found, question }) => ndcgAt(10, found, question.relevant)),
    mrr: over(({ found, question }) => reciprocalRank(found, question.relevant)),
  }
}

/** The means of all answers, and of each kind of question. */
export function meansByKind(answers: readonly Answered[]): {
  all: Means
  kinds: Readonly<Record<string, Means>>
} {
  const kinds = [...new Set(answers.flatMap(({ question }) => question.category ?? []))].toSorted()
  const kind = (name: string) => answers.filter(({ question }) => question.category === name)
  return {
    all: meansOf(answers),
    kinds: Object.fromEntries(kinds.map((name) => [name, meansOf(kind(name))])),
  }
}

/** The session of each memory; null if a group has fewer than two. */
export function sessionsOf({ memories }: Pick<Group, 'memories'>): ReadonlyMap<string, string> | null {
  const sessions = new Map(memories.map(({ id, input }) => [id, String(input['context'] ?? '')]))
  return new Set(sessions.values()).size < 2 ? null : sessions
}

/**
 * The share of the sessions with a relevant memory of which the first k memories found have any. Never less than the recall of
 * memories: one turn finds a session, whatever it says.
 * @param sessions of each memory
 */
export function sessionRecallAt(
  k: number,
  found: readonly string[],
  relevant: ReadonlyMap<string, number>,
  sessions: ReadonlyMap<string, string>,
): number {
  const wanted = new Map([...relevant.keys()].map((id) => [sessions.get(id) ?? '', 1]))
  const seen = found.slice(0, k).map((id) => sessions.get(id) ?? '')
  return recallAt(k, seen, wanted)
}

/** To four decimals, as the raw results keep them. */
export const rounded = (value: number): number => Math.round(value * 1e4) / 1e4
