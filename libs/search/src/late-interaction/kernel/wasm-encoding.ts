/*
 * As much of WebAssembly's binary format as the kernel needs.
 * https://webassembly.github.io/spec/core/binary/
 */

/** Instructions or parts of a module. */
export type Bytes = readonly number[]

/** The first bytes of a module, and the format's version. */
const MAGIC: Bytes = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0]

const I32 = 0x7f
const V128 = 0x7b
const NO_RESULT = 0x40
const FUNCTION = 0x60
const MEMORY = 0x02

/** An unsigned number, seven bits a byte (LEB128). */
function unsigned(number: number): number[] {
  const bytes: number[] = []
  let rest = number
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  return [...bytes, rest]
}

/** A signed number, seven bits a byte; the sixth bit of the last byte is the sign. */
function signed(number: number): number[] {
  const bytes: number[] = []
  let rest = number
  for (; rest < -0x40 || rest > 0x3f; rest >>= 7) bytes.push((rest & 0x7f) | 0x80)
  return [...bytes, rest & 0x7f]
}

/** SIMD instructions have a prefix. The alignment is a hint; 0 promises nothing. */
const simd = (code: number): number[] => [0xfd, ...unsigned(code)]
const at = (offset: number): number[] => [0, ...unsigned(offset)]

/** The instructions, by their names in the specification. `offset` is added to the address on the stack. */
export const op = {
  'local.get': (local: number): Bytes => [0x20, ...unsigned(local)],
  'local.set': (local: number): Bytes => [0x21, ...unsigned(local)],
  'local.tee': (local: number): Bytes => [0x22, ...unsigned(local)],
  'i32.const': (value: number): Bytes => [0x41, ...signed(value)],
  'i32.add': [0x6a] as Bytes,
  'i32.sub': [0x6b] as Bytes,
  'i32.mul': [0x6c] as Bytes,
  'i32.and': [0x71] as Bytes,
  'i32.shr_u': [0x76] as Bytes,
  'i32.load8_u': (offset: number): Bytes => [0x2d, ...at(offset)],
  'v128.load': (offset: number): Bytes => [...simd(0x00), ...at(offset)],
  'v128.store': (offset: number): Bytes => [...simd(0x0b), ...at(offset)],
  'i16x8.add': simd(0x8e) as Bytes,
  'i16x8.max_s': simd(0x98) as Bytes,
  /** Repeats its body while the number that the body leaves on the stack is not 0. */
  repeat: (...body: Bytes[]): Bytes => [0x03, NO_RESULT, ...body.flat(), 0x0d, 0, 0x0b],
}

/** A function without result. Its locals: first the parameters and `integers`, then `vectors`. */
export interface WasmFunction {
  readonly parameters: number
  readonly integers: number
  readonly vectors: number
  readonly body: readonly Bytes[]
}

const list = (items: readonly Bytes[]): Bytes => [...unsigned(items.length), ...items.flat()]
const sized = (bytes: Bytes): Bytes => [...unsigned(bytes.length), ...bytes]
const section = (id: number, items: readonly Bytes[]): Bytes => [id, ...sized(list(items))]
const nameOf = (text: string): Bytes => sized([...Buffer.from(text)])

/** A module that imports the memory `js.memory` and exports the function as `run`. */
export function encodeModule({ parameters, integers, vectors, body }: WasmFunction): Uint8Array<ArrayBuffer> {
  const locals = list([
    [...unsigned(integers), I32],
    [...unsigned(vectors), V128],
  ])
  return Uint8Array.from([
    ...MAGIC,
    ...section(1, [[FUNCTION, ...list(Array.from({ length: parameters }, () => [I32])), ...list([])]]),
    ...section(2, [[...nameOf('js'), ...nameOf('memory'), MEMORY, 0, 1]]),
    ...section(3, [[0]]),
    ...section(7, [[...nameOf('run'), 0, 0]]),
    ...section(10, [sized([...locals, ...body.flat(), 0x0b])]),
  ])
}
