import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readConfig } from './config.ts'

describe('the settings', () => {
  it('have defaults for everything', () => {
    expect(readConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 4000,
      dataDir: resolve('.daybook'),
      databaseUrl: undefined,
      embedder: 'minilm',
      modelDir: undefined,
      logLevel: 'info',
    })
  })

  it('are taken from the environment, with folders made absolute', () => {
    expect(
      readConfig({
        DAYBOOK_HOST: '0.0.0.0',
        DAYBOOK_PORT: '0',
        DAYBOOK_DATA_DIR: 'data',
        DATABASE_URL: 'postgresql://user:pass@host/db',
        DAYBOOK_EMBEDDER: 'none',
        DAYBOOK_MODEL_DIR: '/models',
        LOG_LEVEL: 'debug',
        UNRELATED: 'x',
      }),
    ).toMatchObject({
      host: '0.0.0.0',
      port: 0,
      dataDir: resolve('data'),
      databaseUrl: 'postgresql://user:pass@host/db',
      embedder: 'none',
      modelDir: '/models',
      logLevel: 'debug',
    })
  })

  it('that are empty count as absent', () => {
    const names = [
      'DAYBOOK_HOST',
      'DAYBOOK_PORT',
      'DAYBOOK_DATA_DIR',
      'DATABASE_URL',
      'DAYBOOK_EMBEDDER',
      'LOG_LEVEL',
    ]
    expect(readConfig(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(readConfig({}))
  })

  it.each([
    ['DAYBOOK_PORT', '65536'],
    ['DAYBOOK_PORT', '-17'],
    ['DAYBOOK_PORT', '40.5'],
    ['DAYBOOK_PORT', 'hunter2'],
    ['DAYBOOK_PORT', '   '],
    ['DAYBOOK_PORT', '0x10'],
    ['DATABASE_URL', 'mysql://root:hunter2@host/db'],
    ['DATABASE_URL', 'hunter2'],
    ['DATABASE_URL', 'http://hunter2'],
    ['DAYBOOK_EMBEDDER', 'hunter2'],
    ['LOG_LEVEL', 'hunter2'],
  ])('%s = %j is refused by name, without showing what was given', (name, value) => {
    let message = ''
    try {
      readConfig({ [name]: value })
    } catch (error) {
      expect(error).toMatchObject({ code: 'CONFIGURATION' })
      message = String((error as Error).message)
    }
    expect(message).toContain(name)
    expect(message).not.toContain(value)
  })

  it('that are wrong are all named at once', () => {
    expect(() => readConfig({ DAYBOOK_PORT: 'x', LOG_LEVEL: 'loud' })).toThrow(/DAYBOOK_PORT[^]*LOG_LEVEL/)
  })
})
