import { countTokens, GROUP, PATTERNS, type QuantisedQuestion } from './quantise.ts'
import type { Scorer } from './scorer.ts'

/** Bytes of a vector register. */
const VECTOR = 16

/** Question tokens in a vector register: 16 bits each. */
const LANES = VECTOR / Int16Array.BYTES_PER_ELEMENT

/**
 * Writes the kernel as WebAssembly: a function of four addresses and counts,
 *
 *     run(bits, tokens, tables, row)
 *
 * which adds up, for each memory token, the entries that its bits choose, of `8 · vectors` question tokens at
 * once, and keeps the largest sum of each question token in `row`. There must be at least one token. The
 * groups of a token are not a loop: their places in the tables are constants of the instructions.
 *
 * The tables lie as entries[group][pattern][question token], 16 bits each.
 *
 * @param width bytes of a memory token
 * @param vectors registers for the question tokens
 */
function encodeKernel(width: number, vectors: number): Uint8Array<ArrayBuffer> {
  const [bits, tokens, tables, row, byte, entry] = [0, 1, 2, 3, 4, 5] as const
  const firstSum = entry + 1
  const sum = (vector: number) => firstSum + vector
  const best = (vector: number) => firstSum + vectors + vector
  const each = (make: (vector: number) => Bytes[]): Bytes =>
    Array.from({ length: vectors }, (_, vector) => make(vector).flat()).flat()
  const { 'local.get': get, 'local.set': set, 'local.tee': tee } = op
  const size = vectors * VECTOR

  /** Adds the entries of a group; its pattern is on the stack. */
  const addEntries = (group: number): Bytes[] => [
    [...op['i32.const'](size), ...op['i32.mul'], ...get(tables), ...op['i32.add'], ...set(entry)],
    each((vector) => {
      const load = [...get(entry), ...op['v128.load'](group * PATTERNS * size + vector * VECTOR)]
      const add = group === 0 ? load : [...get(sum(vector)), ...load, ...op['i16x8.add']]
      return [add, set(sum(vector))]
    }),
  ]
  const addByte = (place: number): Bytes[] => [
    [...get(bits), ...op['i32.load8_u'](place), ...tee(byte)],
    [...op['i32.const'](PATTERNS - 1), ...op['i32.and']],
    ...addEntries(place * 2),
    [...get(byte), ...op['i32.const'](GROUP), ...op['i32.shr_u']],
    ...addEntries(place * 2 + 1),
  ]
  return encodeModule({
    parameters: 4,
    integers: 2,
    vectors: 2 * vectors,
    body: [
      each((vector) => [get(row), op['v128.load'](vector * VECTOR), set(best(vector))]),
      op.repeat(
        ...Array.from({ length: width }, (_, place) => addByte(place)).flat(),
        each((vector) => [get(best(vector)), get(sum(vector)), op['i16x8.max_s'], set(best(vector))]),
        [...get(bits), ...op['i32.const'](width), ...op['i32.add'], ...set(bits)],
        [...get(tokens), ...op['i32.const'](1), ...op['i32.sub'], ...tee(tokens)],
      ),
      each((vector) => [get(row), get(best(vector)), op['v128.store'](vector * VECTOR)]),
    ],
  })
}

const PAGE = 65_536

const SMALLEST = -0x8000

/** The most bytes of a memory that lie in the shared memory at once; a longer one is read in pieces. */
const PIECE = 4 * PAGE

/**
 * Vector registers of a pass: 16 question tokens. With more, the tables of a pass leave the first cache;
 * with fewer, more time goes to taking bytes apart.
 */
const VECTORS = 2

const PASS = VECTORS * LANES

/**
 * The memory that the kernels share: the row, a piece of bits, then the tables. A process has one, because
 * each reserves gigabytes of addresses. It holds the tables of the question that asked last.
 */
interface Arena {
  readonly memory: WebAssembly.Memory
  readonly kernels: Map<number, Kernel | undefined>
  owner: QuantisedQuestion | undefined
  /** The memory's bytes, and the row in it: made again when the memory has grown, not for each of 500 matches. */
  bytes: Uint8Array
  best: Int16Array
}

/** @see encodeKernel */
type Kernel = (bits: number, tokens: number, tables: number, row: number) => void

const ROW = 0

const BITS = ROW + VECTORS * VECTOR

const TABLES = BITS + PIECE

let arena: Arena | undefined

/** The scorer with vector instructions, or undefined where the process has no WebAssembly with SIMD. */
export function simdScorer(quantised: QuantisedQuestion): Scorer | undefined {
  if (typeof WebAssembly === 'undefined') return undefined
  arena ??= createArena()
  const shared = arena
  const width = quantised.dimension / 8
  const run = kernelFor(shared, width)
  if (run === undefined) return undefined
  const tables = arrange(quantised)
  const { tokens, factors, groups } = quantised
  const passBytes = groups * PATTERNS * VECTORS * VECTOR
  const pieceTokens = Math.floor(PIECE / width)
  return {
    match(bits) {
      const count = countTokens(quantised, bits)
      const row = new Float32Array(tokens)
      if (count === 0) return row
      if (shared.owner !== quantised) loadTables(shared, quantised, tables)
      const { bytes, best } = shared
      for (let first = 0; first < tokens; first += PASS) {
        best.fill(SMALLEST)
        for (let at = 0; at < count; at += pieceTokens) {
          const piece = Math.min(pieceTokens, count - at)
          // A memory in one piece is there already in the second pass.
          if (first === 0 || count > pieceTokens)
            bytes.set(piece === count ? bits : bits.subarray(at * width, (at + piece) * width), BITS)
          run(BITS, piece, TABLES + (first / PASS) * passBytes, ROW)
        }
        for (let token = first; token < Math.min(tokens, first + PASS); token += 1)
          row[token] = best[token - first]! * factors[token]!
      }
      return row
    },
  }
}

function createArena(): Arena {
  const memory = new WebAssembly.Memory({ initial: 1 })
  return { memory, kernels: new Map(), owner: undefined, ...viewsOf(memory) }
}

const viewsOf = ({ buffer }: WebAssembly.Memory): Pick<Arena, 'bytes' | 'best'> => ({
  bytes: new Uint8Array(buffer),
  best: new Int16Array(buffer, ROW, PASS),
})

/** The kernel for tokens of so many bytes, compiled at first use (a millisecond). */
function kernelFor({ memory, kernels }: Arena, width: number): Kernel | undefined {
  if (!kernels.has(width)) kernels.set(width, compile(width, memory))
  return kernels.get(width)
}

function compile(width: number, memory: WebAssembly.Memory): Kernel | undefined {
  const bytes = encodeKernel(width, VECTORS)
  if (!WebAssembly.validate(bytes)) return undefined
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { js: { memory } })
  return exports.run as Kernel
}

/** The tables in the kernel's order; lanes without a question token have zeros. */
function arrange({ tokens, groups, entries }: QuantisedQuestion): Int16Array {
  const size = groups * PATTERNS
  const tables = new Int16Array(Math.ceil(tokens / PASS) * PASS * size)
  for (let token = 0; token < tokens; token += 1) {
    const start = Math.floor(token / PASS) * PASS * size + (token % PASS)
    for (let at = 0; at < size; at += 1) tables[start + at * PASS] = entries[token * size + at]!
  }
  return tables
}

function loadTables(shared: Arena, question: QuantisedQuestion, tables: Int16Array): void {
  const missing = TABLES + tables.byteLength - shared.memory.buffer.byteLength
  if (missing > 0) {
    shared.memory.grow(Math.ceil(missing / PAGE))
    Object.assign(shared, viewsOf(shared.memory))
  }
  new Int16Array(shared.memory.buffer, TABLES, tables.length).set(tables)
  shared.owner = question
}

/*
 * As much of WebAssembly's binary format as the kernel needs.
 * https://webassembly.github.io/spec/core/binary/
 */

/** Instructions or parts of a module. */
type Bytes = readonly number[]

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
const op = {
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
interface WasmFunction {
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
function encodeModule({ parameters, integers, vectors, body }: WasmFunction): Uint8Array<ArrayBuffer> {
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
