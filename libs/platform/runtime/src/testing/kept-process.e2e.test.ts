import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startKept } from './kept-process.ts'

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('a kept process', () => {
  let parent: string
  let folder: string
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'daybook-kept-'))
    folder = join(parent, 'folder')
    mkdirSync(folder)
    writeFileSync(join(folder, 'file'), '')
  })
  afterEach(() => rmSync(parent, { recursive: true, force: true }))

  it('ends when it is told, and its folder goes', async () => {
    const kept = startKept(['sleep', '600'], { folder, signal: 'TERM' })
    const pid = await kept.pid
    expect(isAlive(pid)).toBe(true)
    await kept.stop()
    expect(isAlive(pid)).toBe(false)
    expect(kept.hasEnded()).toBe(true)
    expect(existsSync(folder)).toBe(false)
  })

  it('leaves its folder when it ends by itself, and what it said can be read', async () => {
    const kept = startKept(['sh', '-c', 'echo what is wrong; exit 3'], { folder, signal: 'TERM' })
    await vi.waitUntil(() => kept.hasEnded())
    await vi.waitUntil(() => kept.log().includes('what is wrong'))
    expect(existsSync(join(folder, 'file'))).toBe(true)
    await kept.stop()
  })

  it('goes with the process that started it when that is killed, and so does the folder', async () => {
    const module = new URL('kept-process.ts', import.meta.url).href
    const script = `
      const { startKept } = await import(${JSON.stringify(module)})
      const kept = startKept(['sleep', '600'], { folder: ${JSON.stringify(folder)}, signal: 'TERM' })
      console.log(await kept.pid)`
    const starter = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const pid = await new Promise<number>((resolve) =>
      starter.stdout.once('data', (line) => resolve(Number(line))),
    )
    expect(isAlive(pid)).toBe(true)
    starter.kill('SIGKILL')
    await vi.waitUntil(() => !isAlive(pid) && !existsSync(folder))
    expect(isAlive(pid)).toBe(false)
  })
})
