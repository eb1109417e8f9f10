import { existsSync } from 'node:fs'
import { serverAddress } from '@daybook/postgres/connect'
import { DEFAULT_PORTS } from '@daybook/runtime/config'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { expectBundle, read, root, SERVICES, SETTINGS } from './repository.ts'

/*
 * The machines of development have no Docker and no Kubernetes. This checks what can be checked without them:
 * that the files parse, and that they agree with the code on names, ports, probes and commands.
 */

const PINNED = /^[\w./-]+:[\w.-]+$/u

/** What is read here of compose.yaml; merge keys are resolved. */
interface ComposeService {
  readonly image: string
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string | number>>
  readonly healthcheck?: { readonly test: readonly string[] }
  readonly ports?: readonly string[]
  readonly volumes?: readonly string[]
  readonly deploy?: {
    readonly replicas?: number
    readonly resources?: { readonly limits?: { readonly cpus: string; readonly memory: string } }
  }
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly read_only?: boolean
}

interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>
  readonly volumes: Readonly<Record<string, null>>
}

const compose = parse(read('infra/compose.yaml'), { merge: true }) as Compose
/** The part of compose.yaml that makes the keys of Typesense, and ends. */
const MAKES_KEYS = 'typesense-keys'

const natsPasswordOf = (service: string) => `NATS_${service.toUpperCase().replaceAll('-', '_')}_PASSWORD`

describe('compose.yaml', () => {
  test.each(SERVICES)('%s has a user of its own in NATS, and only its own password', (name) => {
    const { environment = {} } = compose.services[name] ?? {}
    const password = `\${${natsPasswordOf(name)}:?run infra/make-env first}`
    expect(environment['NATS_URL']).toBe(`nats://${name}:${password}@nats:4222`)
    expect(Object.keys(environment).filter((setting) => setting.startsWith('NATS_'))).toEqual(['NATS_URL'])
    expect(compose.services['nats']?.environment?.[natsPasswordOf(name)]).toBe(password)
    expect(read('infra/nats/users.conf')).toContain(`{ user: ${name}, password: $${natsPasswordOf(name)}, `)
  })

  test.each(SERVICES)('%s runs its bundle twice, on its port, with settings that exist', (name) => {
    const service = compose.services[name]
    expectBundle(name, service?.command)
    expect(service?.deploy?.replicas).toBe(2)
    expect(service?.read_only).toBe(true)
    expect(service?.environment?.['DAYBOOK_PORT']).toBe(DEFAULT_PORTS[name])
    expect(Object.keys(service?.environment ?? {}).filter((setting) => !SETTINGS.has(setting))).toEqual([])
    expect(Object.keys(service?.environment ?? {})).toEqual(
      expect.arrayContaining(['DATABASE_URL', 'DAYBOOK_OWNER_URL', 'NATS_URL']),
    )
    expect(service?.environment?.['DATABASE_URL']).toMatch(/^postgres:\/\/daybook_login:/u)
    for (const server of ['postgres', 'nats'])
      expect(service?.depends_on?.[server]).toEqual({ condition: 'service_healthy' })
    expect(service?.depends_on?.[MAKES_KEYS]).toEqual({ condition: 'service_completed_successfully' })
  })

  test('gives each service a key of Typesense with its own rights, or none, and nobody but the maker the server’s', () => {
    const keyOf = (name: string) => compose.services[name]?.environment?.['TYPESENSE_API_KEY']
    const given = (setting: string) => `\${${setting}:?run infra/make-env first}`
    expect(SERVICES.map(keyOf)).toEqual(
      SERVICES.map((name) =>
        ['projector-pgvector', 'sync'].includes(name)
          ? undefined
          : given(name === 'gateway' ? 'TYPESENSE_GATEWAY_KEY' : 'TYPESENSE_PROJECTOR_KEY'),
      ),
    )
    expect(keyOf(MAKES_KEYS)).toBe(given('TYPESENSE_API_KEY'))
    expect(keyOf('typesense')).toBe(given('TYPESENSE_API_KEY'))
    for (const setting of ['TYPESENSE_GATEWAY_KEY', 'TYPESENSE_PROJECTOR_KEY']) {
      expect(compose.services[MAKES_KEYS]?.environment?.[setting]).toBe(given(setting))
      expect(read('infra/typesense/keys.mjs')).toContain(`setting: '${setting}'`)
    }
  })

  test('gives every part a health check and an image of a fixed version', () => {
    for (const [name, { image, healthcheck }] of Object.entries(compose.services)) {
      // It ends before anybody could ask.
      if (name !== MAKES_KEYS) expect(healthcheck?.test[0], name).toBe('CMD')
      expect(image, name).toMatch(PINNED)
      expect(image, name).not.toContain('latest')
    }
  })

  test('limits what every part may take of the machine', () => {
    for (const [name, { deploy }] of Object.entries(compose.services))
      expect(deploy?.resources?.limits, name).toEqual({
        cpus: expect.stringMatching(/^\d+$/u),
        memory: expect.stringMatching(/^\d+[mg]$/u),
      })
  })

  test('has connections to Postgres for every process', () => {
    const replicas = SERVICES.map((name) => compose.services[name]?.deploy?.replicas ?? 1)
    const each = serverAddress('postgres://x').maxConnections + 1
    const most = /max_connections=(\d+)/u.exec(String(compose.services['postgres']?.command))?.[1]
    expect(Number(most)).toBeGreaterThan(replicas.reduce((sum, one) => sum + one) * each)
  })

  test('gives the administrator’s key to gateways only', () => {
    const having = Object.entries(compose.services).filter(
      ([, { environment }]) => environment?.['DAYBOOK_DEFAULT_KEY'] !== undefined,
    )
    expect(having.map(([name]) => name)).toEqual(['gateway'])
  })

  test('says where its key is, and that is where make-env writes it', () => {
    expect(read('infra/compose.yaml')).toContain('#   grep DAYBOOK_DEFAULT_KEY infra/.env')
    expect(read('infra/compose.yaml')).not.toContain('api-key')
  })

  test('opens nothing but the gateways, to this machine only', () => {
    const open = Object.entries(compose.services).filter(([, { ports }]) => ports !== undefined)
    expect(open.map(([name]) => name)).toEqual(['gateway'])
    for (const port of open[0]?.[1].ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:[\d-]+:4000$/u)
  })

  test('takes secrets from the environment, where make-env puts them, and holds none', () => {
    const secrets = [...read('infra/compose.yaml').matchAll(/\$\{(\w+):\?/gu)].map((match) => match[1])
    for (const secret of new Set(secrets))
      expect(read('infra/make-env')).toMatch(new RegExp(`"${secret}=(dbk_|n)?\\$\\(secret\\)"`, 'u'))
    expect(new Set(secrets)).toEqual(
      new Set([
        'POSTGRES_PASSWORD',
        'POSTGRES_LOGIN_PASSWORD',
        'TYPESENSE_API_KEY',
        'TYPESENSE_GATEWAY_KEY',
        'TYPESENSE_PROJECTOR_KEY',
        'DAYBOOK_DEFAULT_KEY',
        ...SERVICES.map((name) => natsPasswordOf(name)),
      ]),
    )
    expect(read('.gitignore').split('\n')).toContain('infra/.env')
    expect(read('.dockerignore').split('\n')).toContain('**/.env')
    for (const { environment } of Object.values(compose.services))
      for (const [name, value] of Object.entries(environment ?? {}))
        if (/PASSWORD|KEY/u.test(name)) expect(value).toMatch(/^\$\{\w+:\?.*\}$/u)
  })

  test('mounts volumes that are declared and files that exist', () => {
    const mounts = Object.values(compose.services).flatMap(({ volumes }) => volumes ?? [])
    for (const mount of mounts) {
      const [source = ''] = mount.split(':')
      if (source.startsWith('./')) expect(existsSync(root(`infra/${source}`)), mount).toBe(true)
      else expect(Object.keys(compose.volumes)).toContain(source)
    }
  })

  test('has NATS write to its disk before it acknowledges', () => {
    expect(read('infra/nats/synced.conf')).toMatch(/^\s*sync_interval: always$/mu)
    expect(compose.services['nats']?.command).toEqual(['--config', '/etc/nats/synced.conf'])
  })
})

describe('the image', () => {
  const dockerfile = read('infra/Dockerfile')

  test('is made in two stages of a fixed Node that the packages support, and runs as a user', () => {
    expect([...dockerfile.matchAll(/^FROM /gmu)]).toHaveLength(2)
    const [, version = ''] = /^ARG NODE_IMAGE=node:(\d+\.\d+)-[a-z-]+$/mu.exec(dockerfile) ?? []
    // One that `npm run test:nodes` tries.
    expect(read('scripts/test-nodes.mjs')).toContain(`'${version}.`)
    expect(compose.services[MAKES_KEYS]?.image).toContain(`node:${version}-`)
    expect(dockerfile).toMatch(/^USER node$/mu)
    expect(dockerfile).toMatch(/^HEALTHCHECK .*infra\/healthcheck\.mjs/mu)
  })

  test('sets only settings that exist, and copies only what is there', () => {
    const set = [...dockerfile.matchAll(/\b(DAYBOOK_\w+|LOG_LEVEL)=/gu)].map((match) => match[1] ?? '')
    expect(set.length).toBeGreaterThan(0)
    expect(set.filter((name) => !SETTINGS.has(name))).toEqual([])
    // What `npm run sbom` writes.
    expect(dockerfile).toMatch(/^RUN .*npm run sbom$/mu)
    for (const [, path = ''] of dockerfile.matchAll(/^COPY --from=build \/app\/(?!dist )(\S+)/gmu))
      expect(existsSync(root(path)), path).toBe(true)
  })
})

test('the scripts that the pages for operators name are in package.json', () => {
  const { scripts } = JSON.parse(read('package.json'))
  const pages = ['running', 'settings', 'failures', 'upkeep', 'monitoring'].map((page) =>
    read(`docs/${page}.md`),
  )
  const named = [...pages.join('\n').matchAll(/npm run ([\w:-]+)/gu)].map((match) => match[1] ?? '')
  expect(named.length).toBeGreaterThan(3)
  for (const name of named) expect(scripts, name).toHaveProperty([name])
  for (const service of SERVICES)
    expect(scripts[`start:${service}`]).toBe(`node scripts/start.mjs ${service}`)
})

test('server.json describes the npm package, as the schema of MCP’s registry wants it', () => {
  const { name, version } = JSON.parse(read('package.json'))
  const described = JSON.parse(read('server.json'))
  expect(described).toMatchObject({
    // 2025-12-11: name, description and version are required, of a package these three, the version being that of npm.
    name: expect.stringMatching(/^[a-zA-Z\d.-]+\/[a-zA-Z\d._-]+$/u),
    description: expect.stringMatching(/^.{1,100}$/u),
    version,
    packages: [{ registryType: 'npm', identifier: name, version, transport: { type: 'stdio' } }],
  })
  // The name in the package, by which the registry knows its owner, is made from this file.
  const packaging = read('scripts/package.mjs')
  expect(packaging).toContain("mcpName: readJson('server.json').name")
  expect(packaging).toContain(`name: '${name}'`)
})
