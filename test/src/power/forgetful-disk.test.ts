import fs, { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRandom, type Random } from '../support/random.ts'
import { type ForgetfulDisk, layOnForgetfulDisk } from './forgetful-disk.ts'

/** Of what was not synced, all or nothing stays. */
const random = (stays: boolean): Random => ({
  ...createRandom(1),
  chance: (probability) => (probability === 0.5 ? false : stays),
  oneOf: <T>(choices: readonly T[]) => choices[0] as T,
})

describe('a disk that forgets', () => {
  let parent: string
  let folder: string
  let on: typeof fs
  let disk: ForgetfulDisk
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'daybook-disk-'))
    folder = join(parent, 'postgres')
    mkdirSync(folder)
    writeFileSync(at('old'), 'a'.repeat(10_000))
    on = { ...fs, promises: { ...fs.promises } }
    disk = layOnForgetfulDisk(on, folder)
  })
  afterEach(() => rmSync(parent, { recursive: true }))
  const at = (name: string) => join(folder, name)
  const write = (name: string, text: string, offset = 0, sync = false) => {
    const file = on.openSync(at(name), existsSync(at(name)) ? 'r+' : 'w+')
    on.writeSync(file, Buffer.from(text), 0, text.length, offset)
    if (sync) on.fdatasyncSync(file)
    on.closeSync(file)
  }
  const syncFolder = () => {
    const file = on.openSync(folder, 'r')
    on.fdatasyncSync(file)
    on.closeSync(file)
  }
  const content = (name: string) => (existsSync(at(name)) ? readFileSync(at(name), 'utf8') : null)

  it('keeps what was synced, and forgets writes, lengths and names that were not', () => {
    write('old', 'bbb', 0, true)
    write('old', 'ccc', 2)
    write('old', 'longer', 12_000)
    on.truncateSync(at('old'), 5)
    write('new', 'content', 0, true)
    on.renameSync(at('old'), at('renamed'))
    disk.cutPower(random(false))
    expect(content('old')).toBe(`bbb${'a'.repeat(9_997)}`)
    expect(content('new')).toBeNull()
    expect(content('renamed')).toBeNull()
  })

  it('may as well keep everything', () => {
    write('old', 'ccc', 2)
    write('new', 'content')
    on.renameSync(at('new'), at('old'))
    on.writeFileSync(at('gone'), '')
    on.unlinkSync(at('gone'))
    disk.cutPower(random(true))
    expect(content('old')).toBe('content')
    expect(content('new')).toBeNull()
    expect(content('gone')).toBeNull()
  })

  it('keeps names only when their folder is synced, also that a file is gone or replaced', () => {
    write('new', 'content', 0, true)
    write('other', 'content', 0, true)
    syncFolder()
    write('new', 'more', 7)
    on.unlinkSync(at('old'))
    syncFolder()
    on.renameSync(at('new'), at('other'))
    disk.cutPower(random(false))
    expect(content('old')).toBeNull()
    expect(content('new')).toBe('content')
    expect(content('other')).toBe('content')
  })

  it('tears a write at blocks of 4 KB', () => {
    write('old', 'b'.repeat(10_000), 100)
    const blocks = [true, false, true]
    disk.cutPower({ ...random(true), chance: (p) => (p === 0.5 ? false : (blocks.shift() ?? true)) })
    expect(content('old')).toBe('a'.repeat(100) + 'b'.repeat(3_996) + 'a'.repeat(4_096) + 'b'.repeat(1_908))
  })

  it('says before each operation which one it is', () => {
    const seen: number[] = []
    disk.onOperation = (number) => seen.push(number)
    write('old', 'b', 0, true)
    on.mkdirSync(at('folder'))
    expect(seen).toEqual([1, 2, 3])
    expect(disk.operations()).toBe(3)
  })
})
