import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Connection } from '../settings.ts'
import { keepList, memoryId } from './memory-id.ts'

const LISTED = [{ id: 'note:one', title: 'A secret' }, { id: 'todo:two' }]
let folder = ''
let connection: Connection

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'daybook-list-')), 'data')
  const place = { url: 'http://127.0.0.1:9', isGiven: true, dataDir: folder, project: null }
  connection = { ...place, apiKey: 'dbk_x', keySource: 'a test' }
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(join(folder, '..'), { recursive: true })
})

test('a number stands for a memory of the last list', async () => {
  keepList(connection, [{ id: 'note:before' }])
  keepList(connection, LISTED)
  expect(await memoryId(connection, '1')).toBe('note:one')
  expect(await memoryId(connection, '2')).toBe('todo:two')
  await expect(memoryId(connection, '3')).rejects.toThrow('it showed 2 memories')
  await expect(memoryId(connection, '2', { takesNumbers: false })).rejects.toThrow('takes an id')
})

test.runIf(process.platform !== 'win32')('only its owner may read the list, which holds no text', () => {
  keepList(connection, LISTED)
  const file = join(folder, 'last-list.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file, 'utf8')).not.toContain('secret')
})

test('a list of another daemon or project, an old one and a damaged one do not count', async () => {
  const refused = (of: Connection) =>
    expect(memoryId(of, '1')).rejects.toMatchObject({
      code: 'USAGE',
      message: 'There is no list that 1 could be a number in',
    })
  await refused(connection)
  keepList(connection, LISTED)
  await refused({ ...connection, url: 'http://127.0.0.1:10' })
  await refused({ ...connection, project: 'shop' })
  vi.useFakeTimers({ now: Date.now() + 24 * 3_600_000 })
  await refused(connection)
  vi.useRealTimers()
  writeFileSync(join(folder, 'last-list.json'), '{"ids": [')
  await refused(connection)
})

test('where nothing can be written there are no numbers, and a list is no failure', async () => {
  writeFileSync(folder, 'a file')
  keepList(connection, LISTED)
  await expect(memoryId(connection, '1')).rejects.toThrow('There is no list')
})
