import { GROUP, PATTERNS } from './quantise.ts'
import { type Bytes, encodeModule, op } from './wasm-encoding.ts'

/** Bytes of a vector register. */
export const VECTOR = 16

/** Question tokens in a vector register: 16 bits each. */
export const LANES = VECTOR / Int16Array.BYTES_PER_ELEMENT

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
export function encodeKernel(width: number, vectors: number): Uint8Array<ArrayBuffer> {
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
