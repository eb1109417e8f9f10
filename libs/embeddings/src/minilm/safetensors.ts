import { widenFloat16 } from './float16.ts'

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
 * Gives access by name to the tensors of a safetensors file, widened to fp32. A tensor is converted when it is asked for.
 *
 * Format (github.com/huggingface/safetensors): 8 bytes little-endian header length, a JSON header naming dtype, shape
 * and byte range of each tensor, then the data. F16 and F32 are understood.
 *
 * @throws Error if the file is not safetensors, the tensor is missing, or its type is another
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
    // Copied, because a typed array wants an aligned start and the header's length decides where the data begins.
    // (Not with slice(): a Buffer's gives a view.)
    const bytes = Uint8Array.from(file.subarray(dataStart + start, dataStart + end))
    if (entry.dtype === 'F32') return { shape: entry.shape, values: new Float32Array(bytes.buffer) }
    if (entry.dtype === 'F16')
      return { shape: entry.shape, values: widenFloat16(new Uint16Array(bytes.buffer)) }
    throw new Error(`tensor ${name} is of type ${entry.dtype}; F16 and F32 can be read`)
  }
}

/** A matrix with rows and columns exchanged: PyTorch stores [out, in], ONNX's MatMul wants [in, out]. */
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
