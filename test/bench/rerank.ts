import { createScorer, plainScorer } from '@daybook/search/late-interaction/kernel/create-scorer'
import { quantise } from '@daybook/search/late-interaction/kernel/quantise'
import type { QuestionStates, Scorer } from '@daybook/search/late-interaction/kernel/scorer'
import { createRandom, type Random } from '../src/support/random.ts'
import { type BenchOptions, median, printComparison } from './bench.ts'
import { unitVector } from './generated-texts.ts'

/**
 * Scoring the candidates of one search by their token bits, the question's tables included, against a loop
 * over the numbers.
 */
export const name = 'rerank'
export const description = 'scoring the token bits of 400 candidates, against a loop over their numbers'

const CANDIDATES = 400
const TOKENS = 34
const DIMENSION = 384
/** A question of usual length, and a long one. */
const QUESTION_TOKENS = [12, 30]
const ROUNDS = 40
/** The loop takes so long that a few rounds are steady. */
const LOOP_ROUNDS = 4
const GOAL = 1 / 20
const GOAL_MS = 5

export async function run({ rounds = ROUNDS }: BenchOptions): Promise<void> {
  const random = createRandom(384)
  const memories = Array.from({ length: CANDIDATES }, () =>
    Uint8Array.from({ length: (TOKENS * DIMENSION) / 8 }, () => random.between(0, 255)),
  )
  for (const tokens of QUESTION_TOKENS) measure(makeQuestion(random, tokens), memories, rounds)
}

function makeQuestion(random: Random, tokens: number): QuestionStates {
  const states = new Float32Array(tokens * DIMENSION)
  for (let token = 0; token < tokens; token += 1) states.set(unitVector(random, DIMENSION), token * DIMENSION)
  return { tokens, dimension: DIMENSION, states }
}

function measure(question: QuestionStates, memories: readonly Uint8Array[], rounds: number): void {
  const score = (create: (question: QuestionStates) => Scorer) => {
    const scorer = create(question)
    return memories.map((bits) => scorer.match(bits))
  }
  const sides = {
    ours: () => score(createScorer),
    plain: () => score((asked) => plainScorer(quantise(asked))),
    loop: () => score(loopScorer),
  }
  const times = { ours: [] as number[], plain: [] as number[], loop: [] as number[] }
  sameOrThrow(sides.ours(), sides.loop())
  for (let round = 0; round < rounds; round += 1)
    for (const side of ['ours', 'plain', 'loop'] as const) {
      if (side === 'loop' && round >= LOOP_ROUNDS) continue
      const started = performance.now()
      sides[side]()
      times[side].push(performance.now() - started)
    }
  const show = (values: readonly number[]) =>
    `p50 ${median(values).toFixed(2)} ms   first ${values[0]!.toFixed(2)} ms`
  printComparison({
    title: `${CANDIDATES} candidates of ${TOKENS} tokens, a question of ${question.tokens} tokens`,
    ours: { label: 'the scorer', value: show(times.ours) },
    theirs: { label: 'a loop over the numbers', value: show(times.loop) },
    ratio: median(times.ours) / median(times.loop),
    goal: { atMost: GOAL },
  })
  console.log(`  without WebAssembly: ${show(times.plain)}`)
  console.log(`  goal at 12 tokens: p50 at most ${GOAL_MS} ms`)
}

function loopScorer({ tokens, dimension, states }: QuestionStates): Scorer {
  const factor = Math.sqrt(Math.PI / 2) / Math.sqrt(dimension)
  return {
    match(bits) {
      const row = new Float32Array(tokens).fill(Number.NEGATIVE_INFINITY)
      for (let start = 0; start < bits.length; start += dimension / 8)
        for (let token = 0; token < tokens; token += 1) {
          let sum = 0
          for (let i = 0; i < dimension; i += 1) {
            const number = states[token * dimension + i]!
            sum += (bits[start + (i >> 3)]! >> (i & 7)) & 1 ? number : -number
          }
          row[token] = Math.max(row[token]!, factor * sum)
        }
      return row
    },
  }
}

/** @throws if an estimate is off by more than the scorer promises */
function sameOrThrow(ours: readonly Float32Array[], loop: readonly Float32Array[]): void {
  const worst = Math.max(
    ...ours.map((row, index) =>
      Math.max(...row.map((value, token) => Math.abs(value - loop[index]![token]!))),
    ),
  )
  console.log(`largest difference of ${ours.length * ours[0]!.length} estimates: ${worst.toFixed(5)}`)
  if (!(worst < 0.001)) throw new Error(`the scorer is off by ${worst}`)
}
