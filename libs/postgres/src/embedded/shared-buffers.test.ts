import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sharedBuffersFor } from './shared-buffers.ts'

describe('the shared buffers of the embedded database', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'daybook-test-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  /** Writes tables of a size, without taking that room. */
  function tables(...megabytes: number[]): void {
    mkdirSync(join(folder, 'base', '5'), { recursive: true })
    for (const [index, size] of megabytes.entries()) {
      const file = join(folder, 'base', '5', String(index))
      writeFileSync(file, '')
      truncateSync(file, size * 1024 * 1024)
    }
  }

  it('are few for a database that is not there yet, or small', () => {
    expect(sharedBuffersFor(join(folder, 'none'))).toBe(32)
    tables(40, 60)
    expect(sharedBuffersFor(folder)).toBe(32)
  })

  it('grow with the tables, up to a limit', () => {
    tables(200, 200)
    expect(sharedBuffersFor(folder)).toBe(100)
    tables(200, 200, 4_000)
    expect(sharedBuffersFor(folder)).toBe(256)
  })
})
