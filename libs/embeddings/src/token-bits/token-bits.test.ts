import { describe, expect, it } from 'vitest'
import { bytesPerToken, createRotation, createTokenCoder, hasTokenBits, withTokenBits } from './token-bits.ts'

/** Numbers of a normal distribution, the same in each run. */
function createNormal(seed: number): () => number {
  let state = seed
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state + 1) / 2 ** 32
  }
  return () => Math.sqrt(-2 * Math.log(next())) * Math.cos(2 * Math.PI * next())
}

const vectorOf = (dimension: number, normal: () => number) => Float32Array.from({ length: dimension }, normal)
const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0)
const cosine = (a: Float32Array, b: Float32Array) => dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b))

describe.each([8, 24, 64, 384])('the rotation of %i numbers', (dimension) => {
  const normal = createNormal(dimension)

  it('keeps lengths and angles', () => {
    const rotate = createRotation(dimension)
    const one = vectorOf(dimension, normal)
    const other = vectorOf(dimension, normal)
    const both = Float32Array.of(...one, ...other)
    rotate(both, 0)
    rotate(both, dimension)
    const [rotated, rotatedToo] = [both.slice(0, dimension), both.slice(dimension)]
    expect(dot(rotated, rotated)).toBeCloseTo(dot(one, one), 3)
    expect(dot(rotated, rotatedToo)).toBeCloseTo(dot(one, other), 3)
    expect(cosine(rotated, one)).toBeLessThan(0.9)
  })
})

describe.each([64, 384])('the rotation of %i numbers', (dimension) => {
  it('spreads what one number says over many', () => {
    const rotate = createRotation(dimension)
    const vector = new Float32Array(dimension)
    vector[3] = 1
    rotate(vector, 0)
    const block = dimension & -dimension
    expect(Math.max(...vector.map(Math.abs))).toBeLessThan(4 / Math.sqrt(block))
  })
})

describe('token bits', () => {
  const dimension = 384

  it('tell the cosine of a token of a question and one of a memory', () => {
    const normal = createNormal(7)
    const mean = vectorOf(dimension, normal)
    const coder = createTokenCoder(mean)
    const differences = Array.from({ length: 200 }, () => {
      const [token, noise] = [vectorOf(dimension, normal), vectorOf(dimension, normal)]
      const share = Math.abs(normal()) % 1
      const question = token.map((value, i) => share * value + (1 - share) * noise[i]!)
      const withMean = (centred: Float32Array) => centred.map((value, i) => value + mean[i]!)
      const bits = coder.bits(withMean(token), 0, 1)
      const states = coder.turned(withMean(question), 0, 1)
      const sum = states.reduce((all, value, i) => all + ((bits[i >> 3]! >> (i & 7)) & 1 ? value : -value), 0)
      return (Math.sqrt(Math.PI / 2) / Math.sqrt(dimension)) * sum - cosine(token, question)
    })
    const meanOf = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length
    expect(Math.abs(meanOf(differences))).toBeLessThan(0.01)
    // One bit a number: about 1/√384 away.
    expect(Math.sqrt(meanOf(differences.map((value) => value ** 2)))).toBeLessThan(0.05)
  })

  it('belong to the tokens asked for', () => {
    const normal = createNormal(11)
    const coder = createTokenCoder(new Float32Array(dimension))
    const states = vectorOf(5 * dimension, normal)
    const two = coder.bits(states, 2, 2)
    expect(two).toHaveLength(2 * bytesPerToken(dimension))
    expect(two.slice(bytesPerToken(dimension))).toEqual(coder.bits(states.slice(3 * dimension), 0, 1))
    expect(coder.bits(states, 0, 0)).toHaveLength(0)
  })

  it('show in the id of the model', () => {
    expect(hasTokenBits('all-MiniLM-L6-v2/fp32')).toBe(false)
    expect(hasTokenBits(withTokenBits('all-MiniLM-L6-v2/fp32'))).toBe(true)
  })
})
