import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { socketPath } from './host-folder.ts'

describe('the socket', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'daybook-test-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))
  /** A data folder below ours whose socket's path has so many bytes. */
  const folderFor = (bytes: number) =>
    join(
      folder,
      'é'.repeat(10) +
        'x'.repeat(bytes - Buffer.byteLength(join(folder, 'é'.repeat(10), 'run/.s.PGSQL.5432'))),
    )

  it('is in the data folder, in a folder for this user alone', () => {
    const path = socketPath(folder)
    expect(path).toBe(join(folder, 'run', '.s.PGSQL.5432'))
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
  })

  it('is elsewhere where its path would have 104 bytes, which macOS does not take', () => {
    expect(socketPath(folderFor(103))).toBe(join(folderFor(103), 'run', '.s.PGSQL.5432'))
    const path = socketPath(folderFor(104))
    expect(dirname(dirname(path))).toBe(tmpdir())
    expect(Buffer.byteLength(path)).toBeLessThanOrEqual(103)
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
    rmSync(dirname(path), { recursive: true })
  })

  it('is another one for each data folder, and the same each time', () => {
    const [one, other] = [socketPath(folderFor(150)), socketPath(folderFor(151))]
    expect(one).not.toBe(other)
    expect(socketPath(folderFor(150))).toBe(one)
    for (const path of [one, other]) rmSync(dirname(path), { recursive: true })
  })

  it('is not put into a folder that others can write to', () => {
    const path = socketPath(folderFor(150))
    chmodSync(dirname(path), 0o777)
    expect(() => socketPath(folderFor(150))).toThrow(expect.objectContaining({ code: 'CONFIGURATION' }))
    rmSync(dirname(path), { recursive: true })
  })
})
