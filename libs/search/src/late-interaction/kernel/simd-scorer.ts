import { countTokens, PATTERNS, type QuantisedQuestion } from './quantise.ts'
import type { Scorer } from './scorer.ts'
import { encodeKernel, LANES, VECTOR } from './simd-kernel.ts'

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
  /** The memory's bytes, and the row in it: made anew when the memory has grown, not for each of 500 matches. */
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
export function simdScorer(question: QuantisedQuestion): Scorer | undefined {
  if (typeof WebAssembly === 'undefined') return undefined
  arena ??= createArena()
  const shared = arena
  const width = question.dimension / 8
  const run = kernelFor(shared, width)
  if (run === undefined) return undefined
  const tables = arrange(question)
  const { tokens, factors, groups } = question
  const passBytes = groups * PATTERNS * VECTORS * VECTOR
  const pieceTokens = Math.floor(PIECE / width)
  return {
    match(bits) {
      const count = countTokens(question, bits)
      const row = new Float32Array(tokens)
      if (count === 0) return row
      if (shared.owner !== question) loadTables(shared, question, tables)
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
