import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { accessOfKey, hashOfKey } from '@daybook/postgres/access/api-keys'
import { ensureProject } from '@daybook/postgres/access/projects'
import { openDatabase } from '@daybook/postgres/connect'
import { asOwner } from '@daybook/postgres/testing/as-owner'
import { SERVICE_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { type Config, readConfig } from '@daybook/runtime/config'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ensureDefaultKey } from './authenticate.ts'

describe.each(SERVICE_DATABASES)('the key of the project "default" on $name', ({ start }) => {
  let database: TestDatabase
  let folder: string
  beforeAll(async () => {
    database = await start()
    folder = mkdtempSync(join(tmpdir(), 'daybook-key-'))
  })
  afterAll(async () => {
    await database.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  const configOf = (dataDir: string, more: Record<string, string> = {}) =>
    readConfig({ DAYBOOK_DATA_DIR: join(folder, dataDir), ...more })
  /** As the owner, who may make keys. */
  const defaultKeyOf = async (config: Config) => {
    const owner = openDatabase({ ...database.address, maxConnections: 1 }, { role: null })
    return ensureDefaultKey(owner, config).finally(() => owner.destroy())
  }
  const projectOf = async (key: string) => (await accessOfKey(database.db, key))?.projectId

  it('is made once, readable by its owner only, and opens the project', async () => {
    const first = await defaultKeyOf(configOf('a'))
    const path = join(folder, 'a', 'api-key')
    expect(readFileSync(path, 'utf8')).toBe(`${first.key}\n`)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(first.place).toContain(path)
    expect(await projectOf(first.key)).toBe(await ensureProject(database.db, 'default'))
    expect(await defaultKeyOf(configOf('a'))).toEqual(first)
  })

  it('of another folder opens the same project', async () => {
    const [one, other] = [await defaultKeyOf(configOf('b')), await defaultKeyOf(configOf('c'))]
    expect(one.key).not.toBe(other.key)
    expect(await projectOf(one.key)).toBe(await projectOf(other.key))
  })

  it('of the settings is let in as often as it is asked for, and written nowhere', async () => {
    const key = `dbk_${'k'.repeat(40)}`
    const config = configOf('d', { DAYBOOK_DEFAULT_KEY: key })
    const both = [defaultKeyOf(config), defaultKeyOf(config)]
    for (const found of await Promise.all(both)) {
      expect(found.key).toBe(key)
      expect(found.place).not.toContain(key)
    }
    expect(await projectOf(key)).toBe(await ensureProject(database.db, 'default'))
    expect(existsSync(join(folder, 'd'))).toBe(false)
  })

  it('of the folder is made again once it was revoked; one of the settings must be replaced', async () => {
    const first = await defaultKeyOf(configOf('e'))
    const key = `dbk_${'r'.repeat(40)}`
    const config = configOf('f', { DAYBOOK_DEFAULT_KEY: key })
    await defaultKeyOf(config)
    for (const one of [first.key, key])
      await asOwner(database, (owner) =>
        sql`update api_keys set revoked_at = now() where key_hash = ${hashOfKey(one)}`.execute(owner),
      )
    expect((await defaultKeyOf(configOf('e'))).key).not.toBe(first.key)
    await expect(defaultKeyOf(config)).rejects.toMatchObject({
      code: 'CONFIGURATION',
      message: expect.stringContaining('was revoked or has expired'),
    })
  })
})

it('a key of another form is refused without being shown', () => {
  const read = () => readConfig({ DAYBOOK_DEFAULT_KEY: 'a-short-secret' })
  expect(read).toThrow(/DAYBOOK_DEFAULT_KEY: must be dbk_/u)
  expect(read).not.toThrow(/a-short-secret/u)
})
