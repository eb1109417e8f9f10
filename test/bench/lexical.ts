import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import { openDatabase } from '@daybook/postgres/connect'
import { checkQuery } from '@daybook/search/check-request'
import { DEFAULT_RANKING } from '@daybook/search/ranking/options'
import type { RetrieverHit } from '@daybook/search/ranking/retriever'
import { hitCondition } from '@daybook/search/retrievers/postgres/constraint'
import { lexicalRetriever } from '@daybook/search/retrievers/postgres/lexical-retriever'
import type { RetrieverInput } from '@daybook/search/retrievers/query-terms'
import { sql } from 'kysely'
import { percentile } from '../src/support/percentile.ts'
import { createRandom } from '../src/support/random.ts'
import { type BenchOptions, printComparison } from './bench.ts'
import { type BenchDatabase, onEachDatabase } from './databases.ts'
import { createVocabulary, sentence } from './generated-texts.ts'
import { buildLexicalCorpus, dayInWords, type LexicalCorpus } from './lexical-corpus.ts'
import { plainLexicalRetriever } from './plain-lexical-retriever.ts'

/**
 * The lexical retriever, which reads packed postings and scores them in this process, against plain SQL over
 * one row per word and memory. Both must give the same best hundred hits. A quarter of the questions name a
 * day, whose words are in many memories.
 */
export const name = 'lexical'
export const description =
  'the lexical retriever and what indexing costs it, against one row a writer scored in SQL (--large: 500,000 memories too)'

const SIZES = [10_000, 100_000]
const LARGE = 500_000
const QUESTIONS = 120
const ROUNDS = 3
/**
 * The goal for the ratio of the p50. In a small project both sides mostly measure the round trip to the
 * database.
 */
const goalAt = (size: number) => (size < 100_000 ? 1 : 0.5)
const RETRIEVER_GOAL_MS = 5
const INDEXING_GOAL_MS = 0.5
const DELAY_RESOLUTION_MS = 1

export async function run({ rounds = ROUNDS, large }: BenchOptions): Promise<void> {
  await onEachDatabase(async (database) => {
    const sizes = large && database.name.startsWith('native') ? [...SIZES, LARGE] : SIZES
    for (const size of sizes) await measure(database, size, rounds)
  })
}

async function measure({ name: where, address }: BenchDatabase, size: number, rounds: number): Promise<void> {
  const db = openDatabase(address)
  const corpus = await buildLexicalCorpus(db, size)
  const times = { packed: [] as number[], plain: [] as number[] }
  const sides = {
    packed: (input: RetrieverInput, wanted: string) => lexicalRetriever(input, wanted, true),
    plain: (input: RetrieverInput, wanted: string) => plainLexicalRetriever(input, corpus.plain, wanted),
  }
  const ask = async (side: keyof typeof sides, text: string): Promise<RetrieverHit[]> => {
    const query = checkQuery('query', text)
    const input = {
      ...corpus,
      condition: hitCondition(corpus.readModel.tables, {}, query),
      includeForgotten: false,
    }
    return sides[side]({ ...input, limit: DEFAULT_RANKING.candidatesPerRetriever }, query.wanted)
  }
  const questions = await Promise.all(makeQuestions().map((question) => ofKnownWords(corpus, question)))
  for (const question of questions) sameOrThrow(await ask('packed', question), await ask('plain', question))
  for (let round = 0; round < rounds; round += 1)
    for (const question of questions)
      for (const side of ['packed', 'plain'] as const) {
        const started = performance.now()
        await ask(side, question)
        times[side].push(performance.now() - started)
      }
  const delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS })
  delay.enable()
  for (const question of questions) await ask('packed', question)
  delay.disable()
  await db.destroy()
  report(where, size, corpus, times, delay)
}

function makeQuestions(): string[] {
  // Other sentences from the corpus's vocabulary. A question needs more than stop words.
  const word = createVocabulary(createRandom(50))
  const random = createRandom(51)
  return Array.from({ length: QUESTIONS }, (_, index) =>
    index % 4 === 0
      ? `${sentence(random, word, 2, 9)} ${dayInWords(random)}`
      : `${sentence(random, word, 3, 11)} notebook`,
  )
}

/** Removes words that no memory has: one side takes them for typos, the other does not. */
async function ofKnownWords({ scope, readModel }: LexicalCorpus, question: string): Promise<string> {
  const { rows } = await sql<{ word: string }>`
    select word from unnest(${question.split(' ')}::text[]) with ordinality as asked(word, place)
    where not exists (
      select from unnest(tsvector_to_array(to_tsvector('english', word))) as lexeme
      where not exists (
        select from ${readModel.tables.postings} p where p.project_id = ${scope.projectId} and p.lexeme = lexeme.lexeme
      )
    )
    order by place`.execute(scope.db)
  return rows.map(({ word }) => word).join(' ')
}

/** @throws if the two differ by more than rounding */
function sameOrThrow(ours: readonly RetrieverHit[], theirs: readonly RetrieverHit[]): void {
  const differ = ours.findIndex((hit, index) => !(Math.abs(hit.score - (theirs[index]?.score ?? 0)) < 1e-9))
  if (differ >= 0 || ours.length !== theirs.length)
    throw new Error(`the two retrievers differ at ${differ}: ${ours.length} and ${theirs.length} hits`)
}

function report(
  where: string,
  size: number,
  { cost }: LexicalCorpus,
  times: { packed: number[]; plain: number[] },
  delay: IntervalHistogram,
): void {
  const show = (values: readonly number[]) =>
    `p50 ${percentile(values, 0.5).toFixed(1)} ms   p95 ${percentile(values, 0.95).toFixed(1)} ms   max ${Math.max(...values).toFixed(0)} ms`
  const on = `${size.toLocaleString('en')} memories, ${where}`
  printComparison({
    title: `lexical retriever, ${on}, ${times.packed.length} questions of 4 to 12 words`,
    ours: { label: 'packed postings, scored here', value: show(times.packed) },
    theirs: { label: 'one row a writer, scored in SQL', value: show(times.plain) },
    ratio: percentile(times.packed, 0.5) / percentile(times.plain, 0.5),
    goal: { atMost: goalAt(size) },
  })
  const late = (nanoseconds: number) =>
    `${Math.max(0, nanoseconds / 1e6 - DELAY_RESOLUTION_MS).toFixed(1)} ms`
  console.log(`  goal at 100,000 memories, native: p50 at most ${RETRIEVER_GOAL_MS} ms`)
  console.log(`  the event loop was late by p99 ${late(delay.percentile(99))}, at most ${late(delay.max)}`)
  const row = (
    title: string,
    { packed, plain }: { packed: number; plain: number },
    unit: string,
    digits: number,
  ) => console.log(`  ${title.padEnd(34)} ${packed.toFixed(digits)} against ${plain.toFixed(digits)} ${unit}`)
  row('indexing, in batches of 100', cost.batches, `ms a memory, goal at most ${INDEXING_GOAL_MS}`, 2)
  row('indexing, a segment at once', cost.segments, 'ms a memory', 3)
  row('the index', cost.bytes, 'bytes a memory', 0)
}
