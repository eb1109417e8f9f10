import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { takeLock } from '@daybook/runtime/exclusive-lock'
import { afterAll, describe, expect, test } from 'vitest'
import { connectionFrom, keyHeaders, parseUrl, placeFrom } from './connection.ts'
import { findDataFolder } from './data-folder.ts'

describe('the address', () => {
  test.each([
    ['http://localhost:4000', 'http://localhost:4000'],
    ['http://localhost:4000/', 'http://localhost:4000'],
    ['http://localhost:4000/graphql', 'http://localhost:4000'],
    ['https://example.org/daybook/', 'https://example.org/daybook'],
  ])('%s is %s', (given, url) => {
    expect(parseUrl(given)).toBe(url)
  })

  test.each(['localhost:4000', '4000', 'ftp://localhost', ''])('"%s" is refused', (given) => {
    expect(() => parseUrl(given)).toThrow(expect.objectContaining({ code: 'INVALID_URL' }))
  })
})

describe('the key', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'daybook-local-'))
  const keyFile = join(dataDir, 'api-key')
  const there = { DAYBOOK_URL: 'http://127.0.0.1:4300' }
  afterAll(() => rmSync(dataDir, { recursive: true }))

  test('is missing in words that say where it was looked for', () => {
    const environment = { DAYBOOK_DATA_DIR: dataDir }
    expect(() => connectionFrom({}, environment)).toThrow(expect.objectContaining({ code: 'NO_API_KEY' }))
    expect(() => connectionFrom({}, environment)).toThrow(keyFile)
  })

  test('comes from the file of DAYBOOK_API_KEY_FILE, unless the command or the environment gives another', () => {
    const path = join(dataDir, 'mounted')
    writeFileSync(path, 'of-the-mounted-file\n')
    writeFileSync(keyFile, 'of-the-file\n')
    const environment = { DAYBOOK_API_KEY_FILE: path, DAYBOOK_DATA_DIR: dataDir, ...there }
    expect(connectionFrom({}, environment)).toMatchObject({
      apiKey: 'of-the-mounted-file',
      keySource: `the file ${path}`,
    })
    expect(connectionFrom({}, { ...environment, DAYBOOK_API_KEY: 'given' }).apiKey).toBe('given')
    expect(connectionFrom({ dataDir }, environment).apiKey).toBe('of-the-file')
    expect(() => connectionFrom({}, { ...environment, DAYBOOK_API_KEY_FILE: `${path}-missing` })).toThrow(
      `${path}-missing`,
    )
    rmSync(keyFile)
  })

  test('comes from --data-dir before DAYBOOK_API_KEY before DAYBOOK_DATA_DIR', () => {
    writeFileSync(keyFile, 'of-the-file\n')
    const environment = { DAYBOOK_API_KEY: 'of-the-environment', DAYBOOK_DATA_DIR: dataDir, ...there }
    expect(connectionFrom({ dataDir }, environment).apiKey).toBe('of-the-file')
    expect(connectionFrom({}, environment).apiKey).toBe('of-the-environment')
    expect(connectionFrom({}, { ...environment, DAYBOOK_API_KEY: '' })).toMatchObject({
      apiKey: 'of-the-file',
      keySource: `the file ${keyFile}`,
    })
  })

  test('is refused where the file holds anything else', () => {
    writeFileSync(keyFile, 'two words\n')
    expect(() => connectionFrom({ dataDir }, {})).toThrow('does not hold one')
  })
})

describe('the data folder', () => {
  const root = mkdtempSync(join(tmpdir(), 'daybook-local-'))
  const [home, repository] = [join(root, 'home'), join(root, 'repository')]
  const inside = join(repository, 'a', 'b')
  afterAll(() => rmSync(root, { recursive: true }))
  const withKey = (folder: string) => {
    mkdirSync(join(folder, '.daybook'), { recursive: true })
    writeFileSync(join(folder, '.daybook', 'api-key'), 'key')
  }

  test('is searched upwards, then in the home', () => {
    mkdirSync(inside, { recursive: true })
    expect(findDataFolder(inside, home, '/fallback')).toBe('/fallback')
    withKey(home)
    expect(findDataFolder(inside, home)).toBe(join(home, '.daybook'))
    withKey(repository)
    expect(findDataFolder(inside, home)).toBe(join(repository, '.daybook'))
    // A folder without a key, as a model's cache makes one, is passed over.
    mkdirSync(join(inside, '.daybook'))
    expect(findDataFolder(inside, home)).toBe(join(repository, '.daybook'))
  })

  test('says where its daemon serves, while that has the lock', () => {
    const dataDir = join(repository, '.daybook')
    const lock = takeLock(join(dataDir, 'daemon.lock'))
    expect(() => placeFrom({ dataDir }, {})).toThrow(expect.objectContaining({ code: 'DAEMON_NOT_RUNNING' }))
    lock?.describe({ url: 'http://127.0.0.1:4100' })
    expect(placeFrom({ dataDir }, {}).url).toBe('http://127.0.0.1:4100')
    expect(placeFrom({ dataDir, url: 'http://127.0.0.1:4200' }, {}).url).toBe('http://127.0.0.1:4200')
    expect(placeFrom({ dataDir }, { DAYBOOK_URL: 'http://127.0.0.1:4300' }).url).toBe('http://127.0.0.1:4300')
    const connection = connectionFrom({ dataDir }, {})
    expect(keyHeaders(connection, 'test').authorization).toBe('Bearer key')
    // The file still names this process, which lives, and the address.
    lock?.release()
    for (const ask of [() => placeFrom({ dataDir }, {}), () => keyHeaders(connection, 'test')])
      expect(ask).toThrow(expect.objectContaining({ code: 'DAEMON_NOT_RUNNING' }))
    const given = connectionFrom({ dataDir, url: connection.url }, {})
    expect(keyHeaders(given, 'test').authorization).toBe('Bearer key')
  })
})
