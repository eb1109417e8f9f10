import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createBackOffGate } from './client.ts'
import { TypesenseRefusedError, TypesenseUnavailableError } from './errors.ts'

describe('the gate before a server that says "not now"', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })
  const busy = vi.fn<() => Promise<string>>(async () => {
    throw new TypesenseUnavailableError('it is busy', false)
  })
  const fine = vi.fn<() => Promise<string>>(async () => 'fine')
  afterEach(() => vi.clearAllMocks())

  it('is open for calls that succeed or are refused', async () => {
    const gate = createBackOffGate()
    const refused = () => gate.pass(() => Promise.reject(new TypesenseRefusedError(400, 'bad')))
    await expect(refused()).rejects.toThrow('bad')
    await expect(refused()).rejects.toThrow('bad')
    expect(await gate.pass(fine)).toBe('fine')
  })

  it('lets nobody through for a while, then one at a time finds out, and the while gets longer', async () => {
    const gate = createBackOffGate({ firstMs: 100, maxMs: 1_000 })
    // Delays are randomly shortened by up to half.
    for (const longest of [100, 200, 400, 800, 1_000, 1_000]) {
      await expect(gate.pass(busy)).rejects.toThrow('it is busy')
      vi.advanceTimersByTime(longest / 2 - 1)
      await expect(gate.pass(fine)).rejects.toThrow('no more requests')
      vi.advanceTimersByTime(longest / 2 + 2)
    }
    expect(fine).not.toHaveBeenCalled()
    expect(busy).toHaveBeenCalledTimes(6)
  })

  it('is open again as soon as the server answers', async () => {
    const gate = createBackOffGate({ firstMs: 100, maxMs: 1_000 })
    await expect(gate.pass(busy)).rejects.toThrow('it is busy')
    vi.advanceTimersByTime(101)
    expect(await gate.pass(fine)).toBe('fine')
    await expect(gate.pass(busy)).rejects.toThrow('it is busy')
    vi.advanceTimersByTime(101)
    expect(await gate.pass(fine)).toBe('fine')
  })
})
