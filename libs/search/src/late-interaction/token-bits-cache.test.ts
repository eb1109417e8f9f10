import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { copyInBlocks, createTokenBitsCache, NO_TOKEN_BITS_CACHE } from './token-bits-cache.ts'

const MINUTE = 60_000

const bits = (value: number, length = 10) => new Uint8Array(length).fill(value)

describe('token bits in memory', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('are found by project, model and text', () => {
    const cache = createTokenBitsCache()
    cache.of('p', 'm').keep('a', bits(1))
    expect(cache.of('p', 'm').get('a')).toEqual(bits(1))
    expect(cache.of('p', 'm').get('b')).toBeUndefined()
    expect(cache.of('q', 'm').get('a')).toBeUndefined()
    expect(cache.of('p', 'n').get('a')).toBeUndefined()
  })

  it('are a copy of what was given', () => {
    const kept = createTokenBitsCache().of('p', 'm')
    const given = bits(1)
    const copy = kept.keep('a', given)
    given.fill(2)
    expect(copy).toEqual(bits(1))
    expect(kept.get('a')).toBe(copy)
  })

  it('that nobody asked for go first when there is no more room', () => {
    const kept = createTokenBitsCache(100).of('p', 'm')
    const add = (from: number, to: number) => {
      for (let text = from; text < to; text += 1) kept.keep(`${text}`, bits(text))
    }
    add(0, 6)
    expect(kept.get('0')).toEqual(bits(0))
    add(6, 9)
    // 0 was asked for and is in the newer half, the others of the older half go.
    add(9, 11)
    expect(kept.get('0')).toEqual(bits(0))
    for (let text = 1; text < 5; text += 1) expect(kept.get(`${text}`)).toBeUndefined()
    for (let text = 6; text < 11; text += 1) expect(kept.get(`${text}`)).toEqual(bits(text))
  })

  it('are forgotten 5 to 10 minutes after somebody last asked for them, and then nothing waits', () => {
    const kept = createTokenBitsCache().of('p', 'm')
    kept.keep('a', bits(1))
    kept.keep('b', bits(2))
    vi.advanceTimersByTime(6 * MINUTE)
    expect(kept.get('a')).toEqual(bits(1))
    vi.advanceTimersByTime(5 * MINUTE)
    expect(kept.get('b')).toBeUndefined()
    expect(kept.get('a')).toEqual(bits(1))
    vi.advanceTimersByTime(11 * MINUTE)
    expect(kept.get('a')).toBeUndefined()
    vi.advanceTimersByTime(10 * MINUTE)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('may be forgotten at once', () => {
    const cache = createTokenBitsCache()
    cache.of('p', 'm').keep('a', bits(1))
    cache.clear()
    expect(cache.of('p', 'm').get('a')).toBeUndefined()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('are not kept without a cache', () => {
    const kept = NO_TOKEN_BITS_CACHE.of('p', 'm')
    expect(kept.keep('a', bits(1))).toEqual(bits(1))
    expect(kept.get('a')).toBeUndefined()
  })
})

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
