import { describe, expect, it } from 'vitest'
import { widenFloat16 } from './packed-embeddings.ts'

describe('widenFloat16', () => {
  it.each([
    ['zero', 0x0000, 0],
    ['minus zero', 0x8000, -0],
    ['one', 0x3c00, 1],
    ['minus two', 0xc000, -2],
    ['a third', 0x3555, 0.333251953125],
    ['the largest', 0x7bff, 65_504],
    ['the smallest normal', 0x0400, 2 ** -14],
    ['the smallest of all', 0x0001, 2 ** -24],
    ['the smallest below zero', 0x8001, -(2 ** -24)],
    ['infinity', 0x7c00, Number.POSITIVE_INFINITY],
    ['not a number', 0x7e00, Number.NaN],
  ])('reads %s', (_, half, value) => {
    expect(widenFloat16(Uint16Array.of(half))[0]).toBe(value)
  })
})
