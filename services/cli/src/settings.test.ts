import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { UnauthorisedError, UsageError } from './cli-error.ts'
import { connectionFrom, parseUrl } from './settings.ts'

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
    expect(() => parseUrl(given)).toThrow(UsageError)
  })
})

describe('the key', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'daybook-cli-'))
  const keyFile = join(dataDir, 'api-key')
  afterAll(() => rmSync(dataDir, { recursive: true }))

  test('is missing in words that say where it was looked for', () => {
    const environment = { DAYBOOK_DATA_DIR: dataDir }
    expect(() => connectionFrom({}, environment)).toThrow(UnauthorisedError)
    expect(() => connectionFrom({}, environment)).toThrow(keyFile)
  })

  test('comes from --data-dir before DAYBOOK_API_KEY before DAYBOOK_DATA_DIR', () => {
    writeFileSync(keyFile, 'of-the-file\n')
    const environment = { DAYBOOK_API_KEY: 'of-the-environment', DAYBOOK_DATA_DIR: dataDir }
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
