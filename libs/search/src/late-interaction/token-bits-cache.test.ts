import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createTokenBitsCache, NO_TOKEN_BITS_CACHE } from './token-bits-cache.ts'

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
