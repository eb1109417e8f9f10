import { expect, it } from 'vitest'
import { quantise } from './quantise.ts'

it('rounds each column by its own scale, to 7 bits', () => {
  const values = Float32Array.of(1, 100, 0, -0.5, 10, 0, 0.25, -50, 0)
  const { numbers, scales } = quantise({ shape: [3, 3], values })
  expect([...numbers]).toEqual([63, 63, 0, -31, 6, 0, 16, -31, 0])
  for (const [i, value] of values.entries())
    expect(Math.abs(numbers[i]! * scales[i % 3]! - value)).toBeLessThanOrEqual(scales[i % 3]! / 2 + 1e-6)
})
