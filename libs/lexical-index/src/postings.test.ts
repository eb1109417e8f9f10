import { describe, expect, it } from 'vitest'
import { lengthOf, numberAt, occurrencesOf, placeOf, SEGMENT_SIZE, unpack } from './postings.ts'

const pack = (...postings: readonly [place: number, occurrences: number, length: number][]): Buffer =>
  Buffer.concat(
    postings.map(([place, occurrences, length]) => {
      const bytes = Buffer.alloc(4)
      bytes.writeUInt32BE(((place << 20) | (occurrences << 12) | length) >>> 0)
      return bytes
    }),
  )
const read = (postings: Buffer, removed = pack()) =>
  Array.from(unpack(postings, removed), (one) => [placeOf(one), occurrencesOf(one), lengthOf(one)])

describe('unpack', () => {
  it('takes a posting apart, to the greatest that fits', () => {
    expect(read(pack([0, 1, 1], [4_095, 255, 4_095], [2_048, 7, 30]))).toEqual([
      [0, 1, 1],
      [4_095, 255, 4_095],
      [2_048, 7, 30],
    ])
    expect(read(pack())).toEqual([])
  })

  it('takes bytes from the middle of a buffer, and leaves them as they were', () => {
    const bytes = Buffer.concat([Buffer.alloc(3), pack([5, 1, 2], [6, 3, 4])])
    const before = Buffer.from(bytes)
    expect(read(bytes.subarray(3))).toEqual([
      [5, 1, 2],
      [6, 3, 4],
    ])
    expect(bytes).toEqual(before)
  })

  it('leaves out what was removed, and keeps what came again after that', () => {
    const removed = pack([8, 0, 0], [9, 0, 0])
    expect(read(pack([7, 1, 10], [8, 1, 10], [9, 1, 10], [8, 2, 12]), removed)).toEqual([
      [7, 1, 10],
      [8, 2, 12],
    ])
  })
})

describe('numberAt', () => {
  it('counts from 1', () => {
    expect(numberAt(0, 0)).toBe(1)
    expect(numberAt(0, SEGMENT_SIZE - 1)).toBe(4_096)
    expect(numberAt(2, 5)).toBe(8_198)
  })
})
