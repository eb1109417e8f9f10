import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { DEFAULT_PORTS, readConfig } from './config.ts'
import { describeSettings, listSettings } from './settings/setting.ts'
import { SETTINGS } from './settings.ts'

describe('the folder of models', () => {
  afterEach(() => vi.unstubAllEnvs())

  it('is DAYBOOK_MODEL_CACHE, made absolute', () => {
    expect(readConfig({ DAYBOOK_MODEL_CACHE: '/caches/models' }).modelCacheDir).toBe('/caches/models')
    expect(readConfig({ DAYBOOK_MODEL_CACHE: 'models' }).modelCacheDir).toBe(resolve('models'))
  })

  it('is else one of the user, the same for all data folders, so that a model is kept once', () => {
    const { modelCacheDir } = readConfig({})
    expect(isAbsolute(modelCacheDir)).toBe(true)
    expect(modelCacheDir).toMatch(/daybook.*models$/u)
    for (const dataDir of ['/one/data', '/another/data'])
      expect(readConfig({ DAYBOOK_DATA_DIR: dataDir }).modelCacheDir).toBe(modelCacheDir)
  })

  if (process.platform === 'linux')
    it('is, on Linux, where XDG_CACHE_HOME says, else in ~/.cache', () => {
      vi.stubEnv('XDG_CACHE_HOME', '/caches')
      expect(readConfig({}).modelCacheDir).toBe('/caches/daybook/models')
      vi.stubEnv('XDG_CACHE_HOME', undefined)
      expect(readConfig({}).modelCacheDir).toBe(join(homedir(), '.cache/daybook/models'))
    })
})

describe('the settings', () => {
  it('have defaults for everything', () => {
    expect(readConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 4000,
      dataDir: resolve('.daybook'),
      databaseUrl: undefined,
      embedder: 'minilm',
      modelDir: undefined,
      nats: undefined,
      typesense: undefined,
      otlpEndpoint: undefined,
      logLevel: 'info',
    })
  })

  it('refuse a time that a timer would take for none, and name the limit', () => {
    expect(() => readConfig({ DAYBOOK_REQUEST_DEADLINE: '25d' })).toThrow('must be at most 24d')
    expect(() => readConfig({ DAYBOOK_SELF_CHECK: '25d' })).toThrow('must be at most 24d')
    expect(() => readConfig({ DAYBOOK_SELF_CHECK: 'never' })).toThrow(
      'must be off, or a whole number with a unit',
    )
    expect(() => readConfig({ DAYBOOK_HEADERS_TIMEOUT: '0s' })).toThrow('must be more than 0')
    expect(readConfig({ DAYBOOK_HALF_LIFE: '365d' }).halfLifeMs).toBe(365 * 86_400_000)
    expect(() => readConfig({ DAYBOOK_HALF_LIFE: '36501d' })).toThrow('must be at most 36500d')
  })

  it('refuse a folder that has no console', () => {
    expect(() => readConfig({ DAYBOOK_CONSOLE_DIR: tmpdir() })).toThrow(
      'must be a folder with a built console',
    )
  })

  it('of an issuer of access tokens are taken together, and only of addresses that nobody else can answer for', () => {
    const issuer = 'https://login.example.com/tenant/'
    const resource = 'https://Daybook.example.com:443'
    expect(readConfig({}).oauth).toBeUndefined()
    expect(
      readConfig({
        DAYBOOK_OAUTH_ISSUER: issuer,
        DAYBOOK_OAUTH_RESOURCE: resource,
        DAYBOOK_OAUTH_PROJECTS: 'shop, billing',
      }).oauth,
    ).toEqual({
      issuer,
      resource: 'https://daybook.example.com',
      audience: [],
      projects: ['shop', 'billing'],
    })
    expect(() => readConfig({ DAYBOOK_OAUTH_ISSUER: issuer })).toThrow('DAYBOOK_OAUTH_RESOURCE: is required')
    expect(() => readConfig({ DAYBOOK_OAUTH_RESOURCE: resource })).toThrow(
      'DAYBOOK_OAUTH_ISSUER: is required',
    )
    for (const address of ['http://login.example.com', 'https://a@b', `${issuer}?a=b`, 'login.example.com'])
      expect(() => readConfig({ DAYBOOK_OAUTH_ISSUER: address, DAYBOOK_OAUTH_RESOURCE: resource })).toThrow(
        'DAYBOOK_OAUTH_ISSUER: must be',
      )
    for (const address of ['http://daybook.example.com', `${resource}/mcp`])
      expect(() => readConfig({ DAYBOOK_OAUTH_ISSUER: issuer, DAYBOOK_OAUTH_RESOURCE: address })).toThrow(
        'DAYBOOK_OAUTH_RESOURCE: must',
      )
    expect(
      readConfig({ DAYBOOK_OAUTH_ISSUER: 'http://[::1]:1', DAYBOOK_OAUTH_RESOURCE: 'http://localhost:4000' })
        .oauth,
    ).toMatchObject({ issuer: 'http://[::1]:1', resource: 'http://localhost:4000' })
  })

  it('of a service bring its own port, which DAYBOOK_PORT overrides', () => {
    const { 'projector-pgvector': defaultPort } = DEFAULT_PORTS
    expect(readConfig({}, { defaultPort }).port).toBe(4001)
    expect(readConfig({ DAYBOOK_PORT: '' }, { defaultPort }).port).toBe(4001)
    expect(readConfig({ DAYBOOK_PORT: '5000' }, { defaultPort }).port).toBe(5000)
    expect(new Set(Object.values(DEFAULT_PORTS)).size).toBe(Object.keys(DEFAULT_PORTS).length)
  })

  it('of the servers are taken together, with units and defaults', () => {
    expect(readConfig({ NATS_URL: 'nats://one:4222, tls://two' }).nats).toEqual({
      url: 'nats://one:4222, tls://two',
      stream: {
        replicas: 1,
        maxAgeMs: 604_800_000,
        maxBytes: 1_073_741_824,
        duplicateWindowMs: 120_000,
      },
    })
    expect(
      readConfig({
        NATS_URL: 'nats://one',
        DAYBOOK_NATS_REPLICAS: '3',
        DAYBOOK_NATS_MAX_AGE: '12h',
        DAYBOOK_NATS_MAX_BYTES: '10GiB',
        DAYBOOK_NATS_DUPLICATE_WINDOW: '500ms',
      }).nats?.stream,
    ).toMatchObject({ replicas: 3, maxAgeMs: 43_200_000, maxBytes: 10_737_418_240, duplicateWindowMs: 500 })
    expect(readConfig({ TYPESENSE_URL: 'http://one:8108', TYPESENSE_API_KEY: 'k' }).typesense).toEqual({
      url: 'http://one:8108',
      apiKey: 'k',
      searchTimeMs: 2_000,
    })
    expect(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://one:4318' }).otlpEndpoint).toBe(
      'http://one:4318',
    )
  })

  it('for Typesense need a key', () => {
    expect(() => readConfig({ TYPESENSE_URL: 'http://one:8108' })).toThrow(
      'TYPESENSE_API_KEY: is required where TYPESENSE_URL is set',
    )
  })

  it('for OpenAI need a key or its file, unless another server is named', () => {
    const openai = { DAYBOOK_EMBEDDER: 'openai' }
    expect(() => readConfig(openai)).toThrow(/OPENAI_API_KEY: or OPENAI_API_KEY_FILE is required/u)
    expect(() => readConfig({ ...openai, OPENAI_API_KEY: 'k', OPENAI_API_KEY_FILE: '/k' })).toThrow(
      'OPENAI_API_KEY_FILE: must not be set',
    )
    expect(readConfig({ ...openai, OPENAI_BASE_URL: 'http://localhost:8000/v1' }).embedder).toBe('openai')
    const { providers } = readConfig({ ...openai, OPENAI_API_KEY_FILE: '/keys/openai' })
    expect(providers.openai).toMatchObject({ apiKey: undefined, apiKeyFile: '/keys/openai' })
    expect(() => readConfig({ DAYBOOK_EMBEDDER: 'openais' })).toThrow(
      'must be minilm, minilm-q8, openai, ollama',
    )
  })

  it('for NATS need a duplicate window within the age', () => {
    const window = { DAYBOOK_NATS_MAX_AGE: '1m', DAYBOOK_NATS_DUPLICATE_WINDOW: '61s' }
    expect(() => readConfig(window)).toThrow('DAYBOOK_NATS_DUPLICATE_WINDOW: must not be longer')
    expect(() => readConfig({ ...window, DAYBOOK_NATS_DUPLICATE_WINDOW: '60s' })).not.toThrow()
  })

  it('are described, each with what it is, what it is for and its default', () => {
    const described = describeSettings(SETTINGS)
    expect(described.length).toBeGreaterThan(10)
    for (const { type, description } of described) {
      expect(type).not.toBe('')
      expect(description.length).toBeGreaterThan(10)
    }
    expect(described.find(({ name }) => name === 'DAYBOOK_NATS_MAX_AGE')).toMatchObject({ default: '7d' })
    expect(described.find(({ name }) => name === 'DATABASE_URL')).toMatchObject({ default: null })
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
    const names = describeSettings(SETTINGS).map(({ name }) => name)
    expect(readConfig(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(readConfig({}))
  })

  describe('a secret in a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'daybook-secrets-'))
    afterAll(() => rmSync(folder, { recursive: true }))
    const written = (name: string, text: string) => {
      writeFileSync(join(folder, name), text)
      return join(folder, name)
    }

    it('is read, without the line’s end', () => {
      const config = readConfig({
        DATABASE_URL_FILE: written('database', 'postgres://user:hunter2@host/db\n'),
        TYPESENSE_URL: 'http://typesense:8108',
        TYPESENSE_API_KEY_FILE: written('typesense', ' hunter2 \n'),
      })
      expect(config.databaseUrl).toBe('postgres://user:hunter2@host/db')
      expect(config.typesense?.apiKey).toBe('hunter2')
    })

    it('is refused where the file is missing or empty, or holds a wrong value, or the value is given too', () => {
      const missing = join(folder, 'missing')
      for (const [environment, problem] of [
        [
          { DATABASE_URL_FILE: missing },
          `DATABASE_URL: the file ${missing} of DATABASE_URL_FILE cannot be read (ENOENT)`,
        ],
        [{ DATABASE_URL_FILE: written('empty', '\n') }, 'of DATABASE_URL_FILE is empty'],
        [{ DATABASE_URL_FILE: written('wrong', 'hunter2') }, 'DATABASE_URL: must begin with postgres://'],
        [
          { NATS_URL: 'nats://hunter2', NATS_URL_FILE: written('nats', 'nats://hunter2') },
          'NATS_URL: must not be set where NATS_URL_FILE is',
        ],
      ] as const) {
        const read = () => readConfig(environment)
        expect(read).toThrow(problem)
        expect(read).not.toThrow('hunter2')
      }
    })

    it('can be any setting that holds a secret', () => {
      const secrets = listSettings(SETTINGS).filter(
        ({ type, name }) => type === 'secret' || name.endsWith('_URL'),
      )
      expect(secrets.filter(({ secret }) => secret === undefined).map(({ name }) => name)).toEqual([
        // Addresses without a password.
        'TYPESENSE_URL',
        'OPENAI_BASE_URL',
        // Its own file setting is read for each request.
        'OPENAI_API_KEY',
        'OLLAMA_URL',
      ])
    })
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
    ['NATS_URL', 'http://hunter2'],
    ['NATS_URL', 'nats://one,hunter2'],
    ['DAYBOOK_NATS_REPLICAS', '0'],
    ['DAYBOOK_NATS_REPLICAS', '6'],
    ['DAYBOOK_NATS_MAX_AGE', '77'],
    ['DAYBOOK_NATS_MAX_AGE', '0d'],
    ['DAYBOOK_NATS_MAX_BYTES', '77GB'],
    ['DAYBOOK_NATS_DUPLICATE_WINDOW', '2 minutes'],
    ['TYPESENSE_URL', 'typesense://hunter2'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'hunter2:4318'],
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
