import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createHomeClient } from './home-client.ts'

/** Takes a question and says nothing, as behind a way that is cut. */
const silent = (_: unknown, { signal }: RequestInit) =>
  new Promise<Response>((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error))
  })

describe('the stream of a home', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('is given up after 5 s without a first line, so that a home that is back is found soon', async () => {
    const home = createHomeClient(
      { url: 'http://home', key: 'key' },
      { projectId: 'p', followerId: 'f', name: 'test' },
      silent as typeof fetch,
    )
    const stream = home.stream({ sequence: 0, hash: '0'.repeat(64) }, new AbortController().signal)
    const ended = vi.fn<(error: unknown) => void>()
    const first = stream.next().catch(ended)
    await vi.advanceTimersByTimeAsync(4_900)
    expect(ended).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(200)
    await first
    expect(ended.mock.calls[0]?.[0]).toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('5 s'),
    })
  })
})
