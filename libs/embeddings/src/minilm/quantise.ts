import type { Weights } from './safetensors.ts'

/** A matrix as whole numbers: a weight is about its number times the scale of its column. */
export interface QuantisedWeights {
  readonly shape: readonly number[]
  readonly numbers: Int8Array
  /** One a column. */
  readonly scales: Float32Array
}

/**
 * The largest number, of 7 bits. With 8, processors without VNNI would compute wrong products: they add two of them, each
 * up to 255 × 127, in 16 bits.
 */
const LARGEST = 63

/** Rounds weights to numbers from −63 to 63, with a scale for each column: the columns differ in size. */
export function quantise({ shape, values }: Weights): QuantisedWeights {
  const [rows, columns] = shape as [number, number]
  const scales = new Float32Array(columns)
  for (let i = 0; i < values.length; i++)
    scales[i % columns] = Math.max(scales[i % columns]!, Math.abs(values[i]!) / LARGEST)
  const numbers = new Int8Array(rows * columns)
  for (let i = 0; i < values.length; i++) {
    const scale = scales[i % columns]!
    numbers[i] = scale > 0 ? Math.round(values[i]! / scale) : 0
  }
  return { shape, numbers, scales }
}
