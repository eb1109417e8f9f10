import * as fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createScorer, plainScorer } from './create-scorer.ts'
import { quantise } from './quantise.ts'
import type { QuestionStates, Scorer } from './scorer.ts'
import { simdScorer } from './simd-scorer.ts'

/** Random cases of each property. They take long to make: up to 15,000 numbers each. */
const RUNS = Number(process.env['DAYBOOK_FUZZ_RUNS'] ?? 60)

const IMPLEMENTATIONS: readonly [string, (question: QuestionStates) => Scorer][] = [
  ['plain JavaScript', (question) => plainScorer(quantise(question))],
  ['vector instructions', (question) => simdScorer(quantise(question))!],
]

/** The formula, number by number. */
function reference({ tokens, dimension, states }: QuestionStates, bits: Uint8Array): number[] {
  return Array.from({ length: tokens }, (_, token) => {
    let best = Number.NEGATIVE_INFINITY
    for (let start = 0; start < bits.length; start += dimension / 8) {
      let sum = 0
      for (let i = 0; i < dimension; i += 1) {
        const number = states[token * dimension + i]!
        sum += (bits[start + (i >> 3)]! >> (i & 7)) & 1 ? number : -number
      }
      best = Math.max(best, (Math.sqrt(Math.PI / 2) / Math.sqrt(dimension)) * sum)
    }
    return best
  })
}

const unit = (state: readonly number[]) => {
  const length = Math.hypot(...state)
  return state.map((number) => number / length)
}
const number = fc.double({ min: -1, max: 1, noNaN: true })
const cases = fc
  .record({ width: fc.constantFrom(1, 2, 3, 8, 48), tokens: fc.integer({ min: 1, max: 40 }) })
  .chain(({ width, tokens }) =>
    fc.record({
      question: fc
        .array(
          fc
            .array(number, { minLength: width * 8, maxLength: width * 8 })
            .filter((state) => Math.hypot(...state) > 0.01),
          { minLength: tokens, maxLength: tokens },
        )
        .map((states) => ({
          tokens,
          dimension: width * 8,
          states: Float32Array.from(states.flatMap(unit)),
        })),
      memories: fc.array(
        fc
          .integer({ min: 1, max: 20 })
          .chain((count) => fc.uint8Array({ minLength: count * width, maxLength: count * width })),
        { minLength: 1, maxLength: 3 },
      ),
    }),
  )

/** States and bits without structure, the same for the same seed. */
function generated(seed: number) {
  let state = seed
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const normal = () => Array.from({ length: 12 }, next).reduce((sum, each) => sum + each, -6)
  return {
    question: (tokens: number, dimension: number): QuestionStates => ({
      tokens,
      dimension,
      states: Float32Array.from(
        Array.from({ length: tokens }, () => unit(Array.from({ length: dimension }, normal))).flat(),
      ),
    }),
    bits: (bytes: number) => Uint8Array.from({ length: bytes }, () => Math.floor(next() * 256)),
  }
}

describe.each(IMPLEMENTATIONS)('a scorer with %s', (_, create) => {
  it('estimates each cosine within .001 of the formula', () => {
    fc.assert(
      fc.property(cases, ({ question, memories }) => {
        const scorer = create(question)
        for (const bits of memories) {
          const row = scorer.match(bits)
          const expected = reference(question, bits)
          expect(row).toHaveLength(question.tokens)
          for (const [token, estimate] of row.entries())
            expect(Math.abs(estimate - expected[token]!)).toBeLessThan(0.001)
        }
      }),
      { numRuns: RUNS },
    )
  })

  it('gives the largest and the smallest sums that there are without overflow', () => {
    const { question } = generated(7)
    const asked = question(17, 384)
    for (let token = 0; token < asked.tokens; token += 1)
      for (const sign of [1, -1]) {
        const bits = new Uint8Array(48)
        for (let i = 0; i < 384; i += 1)
          if (sign * asked.states[token * 384 + i]! >= 0) bits[i >> 3]! |= 1 << (i & 7)
        const expected = reference(asked, bits)[token]!
        expect(Math.sign(expected)).toBe(sign)
        expect(create(asked).match(bits)[token]).toBeCloseTo(expected, 3)
      }
  })

  it('reads a text of any length', () => {
    const { question, bits } = generated(11)
    const asked = question(20, 384)
    const scorer = create(asked)
    // 400 KB: more than the vector instructions read at once. The best token of each is in another piece.
    const memory = bits(48 * 8_500)
    const expected = reference(asked, memory)
    for (const [token, estimate] of scorer.match(memory).entries())
      expect(estimate).toBeCloseTo(expected[token]!, 3)
  })

  it('keeps questions apart that are asked at once', () => {
    const { question, bits } = generated(13)
    const asked = [question(5, 384), question(33, 384), question(12, 64)]
    const scorers = asked.map(create)
    const memory = bits(48 * 8)
    const rows = () => scorers.map((scorer) => scorer.match(memory))
    const first = rows()
    expect(rows()).toEqual(first)
    for (const [index, each] of asked.entries())
      for (const [token, estimate] of first[index]!.entries())
        expect(estimate).toBeCloseTo(reference(each, memory)[token]!, 3)
  })

  it('gives 0 for a memory without tokens and for a state of zeros', () => {
    const zeros = {
      tokens: 2,
      dimension: 8,
      states: Float32Array.from([...Array<number>(8).fill(0), 1, ...Array<number>(7).fill(0)]),
    }
    expect([...create(zeros).match(new Uint8Array(0))]).toEqual([0, 0])
    const row = create(zeros).match(Uint8Array.of(0xff))
    expect(row[0]).toBe(0)
    expect(row[1]).toBeGreaterThan(0.1)
  })

  it('refuses bytes that are no whole number of tokens', () => {
    const { question, bits } = generated(17)
    const scorer = create(question(3, 384))
    expect(() => scorer.match(bits(47))).toThrow(RangeError)
  })
})

describe('scorers', () => {
  afterEach(() => vi.unstubAllGlobals())

  it('give the same numbers with vector instructions and without', () => {
    fc.assert(
      fc.property(cases, ({ question, memories }) => {
        const [plain, simd] = IMPLEMENTATIONS.map(([, create]) => create(question))
        for (const bits of memories) expect(simd!.match(bits)).toEqual(plain!.match(bits))
      }),
      { numRuns: RUNS },
    )
  })

  it('order memories as the formula does, where it tells them apart', () => {
    const { question, bits } = generated(19)
    const asked = question(12, 384)
    const scorer = createScorer(asked)
    const sum = (row: Iterable<number>) => [...row].reduce((all, each) => all + each, 0)
    const memories = Array.from({ length: 400 }, () => bits(48 * 34)).map((memory) => ({
      expected: sum(reference(asked, memory)),
      estimate: sum(scorer.match(memory)),
    }))
    const wrong = memories.flatMap((one) =>
      memories.filter((other) => one.expected - other.expected > 0.003 && one.estimate <= other.estimate),
    )
    expect(wrong).toEqual([])
  })

  it('work where there is no WebAssembly', () => {
    const { question, bits } = generated(23)
    const asked = question(12, 384)
    const memory = bits(48 * 34)
    const usual = createScorer(asked).match(memory)
    vi.stubGlobal('WebAssembly', undefined)
    expect(simdScorer(quantise(asked))).toBeUndefined()
    expect(createScorer(asked).match(memory)).toEqual(usual)
  })

  it.each([
    [2, 12, 24],
    [2, 8, 15],
    [1, 0, 0],
  ])('refuse %i states of %i numbers in %i numbers', (tokens, dimension, length) => {
    expect(() => createScorer({ tokens, dimension, states: new Float32Array(length) })).toThrow(RangeError)
  })
})
