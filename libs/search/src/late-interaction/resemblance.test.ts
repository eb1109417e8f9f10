import { describe, expect, it } from 'vitest'
import { resemblance } from './resemblance.ts'

const BYTES = 48

/** The definition, number by number. */
function plain(one: Uint8Array, other: Uint8Array): number {
  const mean = (bits: Uint8Array) =>
    Array.from({ length: BYTES * 8 }, (_, number) => {
      let sum = 0
      for (let token = 0; token < bits.length; token += BYTES)
        sum += (bits[token + (number >> 3)]! >> (number & 7)) & 1 ? 1 : -1
      return sum
    })
  const dot = (a: number[], b: number[]) => a.reduce((sum, number, at) => sum + number * b[at]!, 0)
  const [a, b] = [mean(one), mean(other)]
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b))
}

let seed = 7
const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
const text = (tokens: number, like = new Uint8Array(BYTES)) =>
  Uint8Array.from(
    { length: tokens * BYTES },
    (_, at) => Math.floor(random() * 256) & (255 - (like[at % BYTES] ?? 0)),
  )

describe('the resemblance of two texts', () => {
  it('is the cosine of the means of their token bits', () => {
    const topic = text(1)
    for (const tokens of [1, 34, 255, 256, 1_000]) {
      const [one, other] = [text(tokens, topic), text(20, topic)]
      expect(resemblance(one, other, BYTES)).toBeCloseTo(plain(one, other), 1)
      expect(resemblance(one, one, BYTES)).toBeCloseTo(1)
    }
  })

  it('is 0 without tokens, and where nothing speaks for either side', () => {
    const bits = text(3)
    expect(resemblance(bits, new Uint8Array(), BYTES)).toBe(0)
    expect(
      resemblance(
        bits,
        Uint8Array.from([...bits.subarray(0, BYTES), ...bits.subarray(0, BYTES).map((byte) => 255 - byte)]),
        BYTES,
      ),
    ).toBe(0)
  })
})
