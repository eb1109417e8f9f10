import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { tryUntilStarted } from './start.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a database that cannot start is tried ever less often, and at once no more when it is stopped', async () => {
  const stop = new AbortController()
  const start = vi.fn<() => Promise<void>>().mockRejectedValue(new Error('its folder is gone'))
  const trying = tryUntilStarted(start, stop.signal, () => {})
  await vi.advanceTimersByTimeAsync(2_000)
  expect(start.mock.calls.length).toBeGreaterThan(3)
  await vi.advanceTimersByTimeAsync(100_000)
  const before = start.mock.calls.length
  await vi.advanceTimersByTimeAsync(600_000)
  // Each pause is 5 to 10 s by then.
  expect(start.mock.calls.length - before).toBeLessThanOrEqual(121)
  stop.abort()
  await trying
})

test('a database that starts at the third try is not tried again', async () => {
  const start = vi
    .fn<() => Promise<void>>()
    .mockRejectedValueOnce(1)
    .mockRejectedValueOnce(2)
    .mockResolvedValue(undefined)
  const failed: unknown[] = []
  const trying = tryUntilStarted(start, new AbortController().signal, (error) => failed.push(error))
  await vi.runAllTimersAsync()
  await trying
  expect(failed).toEqual([1, 2])
  expect(start).toHaveBeenCalledTimes(3)
})

test('a database that starts and dies at once, again and again, is started ever less often', async () => {
  const start = vi.fn<() => Promise<void>>().mockResolvedValue(undefined)
  const trying = tryUntilStarted(start, new AbortController().signal, () => {}, 12)
  await vi.advanceTimersByTimeAsync(4_000)
  expect(start).not.toHaveBeenCalled()
  await vi.runAllTimersAsync()
  await trying
  expect(start).toHaveBeenCalledOnce()
})
