import { describe, expect, it, vi } from 'vitest'
import { createShutdown, endInTime } from './run-process.ts'

/** Longer than a test may take. */
const NEVER = 2 ** 31 - 1

const TIMES = { hurryAfterMs: 20, hurryEveryMs: 10, limitMs: NEVER }

describe('the end of a process', () => {
  it('ends parts in the opposite order, once all of them were told', async () => {
    const shutdown = createShutdown()
    const seen: string[] = []
    shutdown.add(() => void seen.push('first ended'), { begin: () => seen.push('first told') })
    shutdown.add(() => void seen.push('second ended'), { begin: () => seen.push('second told') })
    expect(await endInTime(shutdown, TIMES)).toEqual({ cutOff: [] })
    expect(seen).toEqual(['first told', 'second told', 'second ended', 'first ended'])
  })

  it('tells parts to hurry after a while, and again if that fails', async () => {
    const shutdown = createShutdown()
    let statement: (error: Error) => void = () => {}
    let tries = 0
    shutdown.add(() => {}, {
      async hurry() {
        tries += 1
        if (tries === 1) throw new Error('the server is busy')
        statement(new Error('cancelled'))
      },
    })
    shutdown.add(() => new Promise((_, reject) => void (statement = reject)))
    await expect(endInTime(shutdown, TIMES)).rejects.toThrow('cancelled')
    expect(tries).toBe(2)
  })

  it('says at the limit what has not ended, and cuts off what it can', async () => {
    const shutdown = createShutdown()
    const cut: string[] = []
    shutdown.add(() => {}, { part: 'the database', cut: () => cut.push('the database') })
    shutdown.add(() => new Promise(() => {}), { part: 'the operations' })
    shutdown.add(() => {}, { part: 'the gateway', cut: () => cut.push('the gateway') })
    vi.useFakeTimers()
    const ending = endInTime(shutdown)
    await vi.advanceTimersByTimeAsync(9_999)
    vi.useRealTimers()
    expect(await ending).toEqual({ cutOff: ['the operations', 'the database'] })
    expect(cut).toEqual(['the database'])
  })
})
