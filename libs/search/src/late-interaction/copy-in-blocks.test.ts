import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { copyInBlocks } from './copy-in-blocks.ts'

it('gives copies that keep their bytes, whatever becomes of the others and of what was given', () => {
  const lengths = fc.oneof(fc.nat(3_000), fc.constantFrom(0, 8 * 1024, 8 * 1024 + 1, 64 * 1024, 70_000))
  fc.assert(
    fc.property(fc.array(lengths, { maxLength: 60 }), (given) => {
      const copy = copyInBlocks()
      const copies = given.map((length, at) => {
        const bytes = new Uint8Array(length).fill(at)
        const made = copy(bytes)
        bytes.fill(255)
        return made
      })
      const areFilled = (from: number) =>
        copies.map((made, at) => Buffer.alloc(given[at] ?? 0, from + at).equals(made))
      expect(areFilled(0)).not.toContain(false)
      // Into each in turn: no two share a byte.
      for (const [at, made] of copies.entries()) made.fill(100 + at)
      expect(areFilled(100)).not.toContain(false)
    }),
    { numRuns: 30 },
  )
})

it('puts small pieces into common blocks', () => {
  const copy = copyInBlocks()
  const [first, second] = [copy(new Uint8Array(1_632)), copy(new Uint8Array(1_632))]
  expect(second.buffer).toBe(first.buffer)
})
