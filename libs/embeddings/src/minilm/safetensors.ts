import { widenFloat16 } from './packed-embeddings.ts'

/** A tensor of weights: its shape, outermost dimension first, and its numbers in row-major order. */
export interface Weights {
  readonly shape: readonly number[]
  readonly values: Float32Array
}

interface HeaderEntry {
  readonly dtype: string
  readonly shape: readonly number[]
  readonly data_offsets: readonly [number, number]
}

/**
 * Opens a safetensors file; the returned function gives a tensor by name, widened to fp32 when it is called.
 *
 * Format (github.com/huggingface/safetensors): 8 bytes of little-endian header length, a JSON header with
 * dtype, shape and byte range of each tensor, then the data. Supports F16 and F32.
 *
 * @throws Error if the file is not safetensors, or the tensor is missing or has another type
 */
export function openSafetensors(file: Uint8Array): (name: string) => Weights {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const headerLength = file.byteLength < 8 ? Number.POSITIVE_INFINITY : Number(view.getBigUint64(0, true))
  if (8 + headerLength > file.byteLength) throw new Error('not a safetensors file: its header is cut off')
  const dataStart = 8 + headerLength
  const header = JSON.parse(new TextDecoder().decode(file.subarray(8, dataStart))) as Record<
    string,
    HeaderEntry
  >

  return (name) => {
    const entry = header[name]
    if (!entry) throw new Error(`the weights hold no tensor named ${name}`)
    const [start, end] = entry.data_offsets
    if (dataStart + end > file.byteLength) throw new Error(`the weights are cut off inside ${name}`)
    // Copied, because a typed array needs an aligned start, and the header's length decides where the data
    // begins. (Not with slice(): for a Buffer that returns a view.)
    const bytes = Uint8Array.from(file.subarray(dataStart + start, dataStart + end))
    if (entry.dtype === 'F32') return { shape: entry.shape, values: new Float32Array(bytes.buffer) }
    if (entry.dtype === 'F16')
      return { shape: entry.shape, values: widenFloat16(new Uint16Array(bytes.buffer)) }
    throw new Error(`tensor ${name} is of type ${entry.dtype}; F16 and F32 can be read`)
  }
}

/** A matrix with rows and columns exchanged: PyTorch stores [out, in], ONNX's MatMul needs [in, out]. */
export function transpose(matrix: Weights): Weights {
  const [rows, columns] = matrix.shape as [number, number]
  const values = new Float32Array(matrix.values.length)
  for (let row = 0; row < rows; row++) {
    const start = row * columns
    for (let column = 0; column < columns; column++)
      values[column * rows + row] = matrix.values[start + column]!
  }
  return { shape: [columns, rows], values }
}

/** Vectors one after another, as one vector. */
export function concatenate(vectors: readonly Weights[]): Weights {
  const values = Float32Array.from(vectors.flatMap((vector) => [...vector.values]))
  return { shape: [values.length], values }
}
