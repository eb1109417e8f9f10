import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lockDataFolder } from './start-daemon.ts'

describe('the lock of a data folder', () => {
  let folder: string
  let told: string[]
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'daybook-lock-'))
    told = []
  })
  afterEach(() => rmSync(folder, { recursive: true }))
  const lock = (stoppingMs?: number) => lockDataFolder(folder, (message) => told.push(message), stoppingMs)

  it('a second start says that the first is stopping, and waits for it', async () => {
    const first = await lock()
    first.serving('http://127.0.0.1:4000')
    first.stopping()
    const second = lock()
    while (told.length === 0) await new Promise((resolve) => setImmediate(resolve))
    expect(told).toEqual([
      `The Daybook before (process ${process.pid} at http://127.0.0.1:4000) is stopping: waiting for its end`,
    ])
    first.release()
    ;(await second).release()
    expect(told).toHaveLength(1)
  })

  it('a second start waits no longer than a stop may take', async () => {
    const first = await lock()
    first.stopping()
    await expect(lock(100)).rejects.toMatchObject({
      code: 'LOCKED',
      message: expect.stringContaining('is stopping, but does not end'),
    })
    first.release()
  })

  it('refuses at once where the first goes on', async () => {
    const first = await lock()
    first.serving('http://127.0.0.1:4000')
    await expect(lock()).rejects.toMatchObject({ code: 'LOCKED', message: expect.stringContaining(':4000') })
    expect(told).toEqual([])
    first.release()
  })
})
