import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ensurePrivateFolder, tightenFolder } from './private-folder.ts'

const modeOf = (path: string) => statSync(path).mode & 0o777

describe('the data folder', () => {
  let root: string
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'daybook-private-'))
  })
  afterEach(() => rmSync(root, { recursive: true, force: true }))

  it('is made for its owner alone', () => {
    const folder = join(root, 'a', 'b')
    ensurePrivateFolder(folder)
    expect(modeOf(folder)).toBe(0o700)
    ensurePrivateFolder(folder)
  })

  it.each([0o777, 0o770, 0o720, 0o702, 0o1777])('of mode %o is refused, saying what to run', (mode) => {
    const folder = join(root, 'shared')
    mkdirSync(folder)
    chmodSync(folder, mode)
    expect(() => ensurePrivateFolder(folder)).toThrow(
      expect.objectContaining({
        code: 'CONFIGURATION',
        message: expect.stringMatching(
          new RegExp(`mode is 0${(mode & 0o777).toString(8)}[^]*chmod 700 ${folder}`, 'u'),
        ),
      }),
    )
    expect(modeOf(folder)).toBe(mode & 0o777)
  })

  it('cannot be in a file’s place, or beneath one', () => {
    const file = join(root, 'file')
    writeFileSync(file, '')
    for (const folder of [file, join(file, 'data')])
      expect(() => ensurePrivateFolder(folder)).toThrow(
        expect.objectContaining({
          code: 'CONFIGURATION',
          message: expect.stringContaining('there is a file'),
        }),
      )
  })

  it.each([0o755, 0o750, 0o700])('of mode %o is taken', (mode) => {
    const folder = join(root, 'mine')
    mkdirSync(folder)
    chmodSync(folder, mode)
    expect(() => ensurePrivateFolder(folder)).not.toThrow()
  })

  it('is tightened with everything in it, links and what they lead to excepted', () => {
    const outside = join(root, 'outside')
    writeFileSync(outside, '')
    chmodSync(outside, 0o666)
    const folder = join(root, 'data')
    mkdirSync(join(folder, 'base'), { recursive: true })
    writeFileSync(join(folder, 'base', '1259'), '')
    writeFileSync(join(folder, 'key'), '')
    chmodSync(join(folder, 'base', '1259'), 0o666)
    chmodSync(join(folder, 'base'), 0o777)
    chmodSync(join(folder, 'key'), 0o600)
    chmodSync(folder, 0o755)
    symlinkSync(outside, join(folder, 'link'))
    expect(tightenFolder(folder)).toBe(3)
    expect(
      [folder, join(folder, 'base'), join(folder, 'base', '1259'), join(folder, 'key')].map(modeOf),
    ).toEqual([0o700, 0o700, 0o600, 0o600])
    expect(modeOf(outside)).toBe(0o666)
    expect(tightenFolder(folder)).toBe(0)
  })
})
