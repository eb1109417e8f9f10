import { afterEach, describe, expect, test, vi } from 'vitest'
import { retryWhileUnavailable } from './open-subscriptions.ts'

const away = () =>
  Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' })

const never = new AbortController().signal

describe('reading with patience', () => {
  afterEach(() => void vi.useRealTimers())

  test('a database that is unavailable for a moment is asked again', async () => {
    let tries = 0
    const read = async () => {
      tries += 1
      if (tries < 3) throw away()
      return 'read'
    }
    expect(await retryWhileUnavailable(read, never)).toBe('read')
    expect(tries).toBe(3)
  })

  test('a database that stays away is reported in the end, and any other error at once', async () => {
    let asked = 0
    const read = () => {
      asked += 1
      return Promise.reject(away())
    }
    vi.useFakeTimers()
    const told = retryWhileUnavailable(read, never, 60).catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(60)
    expect(await told).toMatchObject({ code: 'ECONNREFUSED', syscall: 'connect' })
    expect(asked).toBeGreaterThan(1)
    let tries = 0
    const wrong = () => {
      tries += 1
      return Promise.reject(new Error('a fault of ours'))
    }
    await expect(retryWhileUnavailable(wrong, never)).rejects.toThrow('a fault of ours')
    expect(tries).toBe(1)
  })

  test('whoever leaves waits no more', async () => {
    const leaving = new AbortController()
    const reading = retryWhileUnavailable(() => Promise.reject(away()), leaving.signal)
    leaving.abort()
    await expect(reading).rejects.toMatchObject({ code: 'ECONNREFUSED', syscall: 'connect' })
  })
})
