import { yieldToEventLoop } from '@daybook/runtime/timers'
import { sql } from 'kysely'
import type { FoundMemory } from '../../ranking/retriever.ts'
import { timed } from '../../timed.ts'
import type { RetrieverInput } from '../query-terms.ts'
import { keepBest, type Scored } from './best-scored.ts'
import { readQuestionPostings } from './question-postings.ts'
import { scorePostings } from './score-postings.ts'

/**
 * The most of the best scored memories that are looked up to find enough that satisfy the condition. If too
 * few do, the reverse is cheaper: find all memories of the project that satisfy the condition, then the best
 * scored of them.
 */
const FIRST_LOOK = 1_000

/**
 * The number of memories looked up first for each hit wanted. Without a filter, only expired memories fail
 * the condition.
 */
const NEAREST = 1.25

/**
 * The lexical retriever: exact BM25 with the project's own word statistics, times the coverage factor
 * (`ranking/bm25.ts` has the formulas). The database returns the packed postings of the question's words,
 * which are scored here. Scoring in SQL takes three times as long, and ten times if a word is in every
 * memory.
 *
 *   words ──▶ postings ──▶ all that have one, scored ──▶ the best ──▶ those that satisfy the condition
 *
 * Of equal scores at the end of the list, the memories remembered first are kept.
 *
 * @param wanted the query's words; Postgres turns them into lexemes as it did the texts
 * @param coverage false if no vector retriever runs too, as measured
 */
export function lexicalRetriever(
  input: RetrieverInput,
  wanted: string,
  coverage: boolean,
): Promise<FoundMemory[]> {
  return timed(input.onRetriever, 'lexical', () => bestScored(input, wanted, coverage))
}

async function bestScored(input: RetrieverInput, wanted: string, coverage: boolean): Promise<FoundMemory[]> {
  const turns = yieldToEventLoop()
  const question = await readQuestionPostings(input, wanted, turns)
  const score = async (keep: number): Promise<ScoredAll> => {
    const best = keepBest(keep)
    await scorePostings(question, coverage, turns, best)
    return { best: best.best(), kept: keep, offered: best.offered() }
  }
  const few = (await input.few?.()) ?? null
  if (few !== null) {
    const eligible = keepBest(input.limit)
    await scorePostings(question, coverage, turns, eligible, few.numbers)
    return satisfying(input, eligible.best(), input.limit)
  }
  const nearest = Math.ceil(NEAREST * input.limit)
  // Keeping a thousand in order takes as long as everything else. So if probably only the nearest are needed,
  // only those are kept, and the scoring is repeated in case more are needed.
  let scored = await score(input.few !== undefined ? FIRST_LOOK : nearest)
  for (const among of [nearest, FIRST_LOOK]) {
    if (among > scored.kept) scored = await score(among)
    const hits = await satisfying(input, scored.best, among)
    if (hits.length >= input.limit || among >= scored.offered) return hits
  }
  const eligible = keepBest(input.limit)
  await scorePostings(question, coverage, turns, eligible, await satisfyingNumbers(input))
  return satisfying(input, eligible.best(), input.limit)
}

interface ScoredAll {
  readonly best: Scored
  /** The most that were kept. */
  readonly kept: number
  readonly offered: number
}

interface SatisfyingRow {
  readonly memory_id: string
  /** Its place among the best scored, from 1. */
  readonly place: number
  readonly content_hash: string
}

/** The hits among the first `among`: as many as are wanted, best first, equal scores by id. */
async function satisfying(
  { scope, readModel, condition, limit }: RetrieverInput,
  { numbers, scores }: Scored,
  among: number,
): Promise<FoundMemory[]> {
  // `offset 0` makes the planner look up each by its number, instead of reading the whole context that a
  // filter names.
  const { rows } = await sql<SatisfyingRow>`
    select m.memory_id, best.place, encode(m.content_hash, 'hex') as content_hash
    from unnest(${numbers.slice(0, among)}::int[]) with ordinality as best(number, place) cross join lateral (
      select * from ${readModel.tables.memories}
      where project_id = ${scope.projectId} and number = best.number offset 0
    ) m
    where ${condition}
    order by best.place limit ${limit}`.execute(scope.db)
  return rows
    .map((row) => ({
      memoryId: row.memory_id,
      score: scores[row.place - 1] ?? 0,
      contentHash: row.content_hash,
    }))
    .toSorted((left, right) => right.score - left.score || (left.memoryId < right.memoryId ? -1 : 1))
}

/** Holds 1 at the number of each memory of the project that satisfies the condition. */
async function satisfyingNumbers({ scope, readModel, condition }: RetrieverInput): Promise<Uint8Array> {
  const { rows } = await sql<{ last: number; numbers: Buffer }>`
    select coalesce(max(m.number), 0) as last, coalesce(string_agg(int4send(m.number), ''), '') as numbers
    from ${readModel.tables.memories} m where m.project_id = ${scope.projectId} and ${condition}`.execute(
    scope.db,
  )
  const { last = 0, numbers = Buffer.alloc(0) } = rows[0] ?? {}
  const marks = new Uint8Array(last + 1)
  for (let at = 0; at < numbers.length; at += 4) marks[numbers.readInt32BE(at)] = 1
  return marks
}
