import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { serverAddress } from '@daybook/postgres/connect'
import { DEFAULT_PORTS } from '@daybook/runtime/config'
import { SETTINGS as ALL } from '@daybook/runtime/settings'
import { describeSettings } from '@daybook/runtime/settings/setting'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'

/*
 * The machines of development have no Docker and no Kubernetes. This checks what can be checked without them:
 * that the files parse, and that they agree with the code on names, ports, probes and commands.
 */

const root = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url))
const read = (path: string) => readFileSync(root(path), 'utf8')
const SERVICES = Object.keys(DEFAULT_PORTS) as (keyof typeof DEFAULT_PORTS)[]
const SETTINGS = new Set(describeSettings(ALL).map(({ name }) => name))
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

/** What is read here of Kubernetes' objects. */
interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly data?: Readonly<Record<string, string>>
  readonly stringData?: Readonly<Record<string, string>>
  readonly spec: {
    readonly replicas: number
    readonly minAvailable: number
    readonly selector: { readonly matchLabels: object }
    readonly ports: readonly { readonly port: number; readonly targetPort: string }[]
    readonly template: {
      readonly metadata: { readonly labels: object; readonly annotations: Readonly<Record<string, string>> }
      readonly spec: {
        readonly securityContext: { readonly runAsNonRoot: boolean }
        readonly containers: readonly Container[]
        readonly volumes: readonly { readonly name: string }[]
      }
    }
  }
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string }
}

interface Container {
  readonly image: string
  readonly command: readonly string[]
  readonly env: readonly {
    readonly name: string
    readonly value?: string
    readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } }
  }[]
  readonly envFrom: readonly object[]
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
  readonly startupProbe: Probe
  readonly livenessProbe: Probe
  readonly readinessProbe: Probe
  readonly resources: { readonly requests: object; readonly limits: { readonly memory: string } }
  readonly securityContext: object
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
}

const compose = parse(read('infra/compose.yaml'), { merge: true }) as Compose
const manifests = readdirSync(root('infra/kubernetes')).flatMap((name) =>
  parseAllDocuments(read(`infra/kubernetes/${name}`)).map((document) => {
    if (document.errors.length > 0) throw new Error(`infra/kubernetes/${name}: ${document.errors.join(', ')}`)
    return document.toJS() as Manifest
  }),
)

function manifest(kind: string, name: string): Manifest {
  const found = manifests.filter((one) => one.kind === kind && one.metadata.name === name)
  expect(found, `${kind} ${name}`).toHaveLength(1)
  return found[0]!
}

/**
 * `node services/gateway/dist/main.js`: the bundle of a main that there is, made by the service's `build`.
 */
function expectBundle(service: string, command: readonly string[] | undefined): void {
  expect(command).toEqual(['node', `services/${service}/dist/main.js`])
  expect(existsSync(root(`services/${service}/src/main.ts`)), `services/${service}/src/main.ts`).toBe(true)
  const { scripts, bundle } = JSON.parse(read(`services/${service}/package.json`))
  expect(scripts.build).toContain('build.mjs')
  expect(bundle.main).toBe('src/main.ts')
}

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

describe('the Kubernetes manifests', () => {
  test.each(SERVICES)('run %s several times, with probes, limits and no rights', (name) => {
    const { spec } = manifest('Deployment', name)
    const container = spec.template.spec.containers[0]!
    const port = DEFAULT_PORTS[name]
    expectBundle(name, container.command)
    expect(spec.replicas).toBeGreaterThan(1)
    expect(container.image).toBe(compose.services[name]?.image)
    expect(container.ports).toEqual([{ name: 'http', containerPort: port }])
    expect(container.env).toContainEqual({ name: 'DAYBOOK_PORT', value: String(port) })
    expect(container.env.filter((setting) => !SETTINGS.has(setting.name))).toEqual([])
    expect(container.envFrom).toEqual([
      { configMapRef: { name: 'daybook' } },
      { secretRef: { name: 'daybook' } },
    ])
    expect(spec.template.metadata.annotations['prometheus.io/port']).toBe(String(port))
    const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe]
    expect(probes.map(({ httpGet }) => httpGet)).toEqual(
      ['/health', '/health', '/ready'].map((path) => ({ path, port: 'http' })),
    )
    expect(container.resources.requests).toEqual({ cpu: expect.any(String), memory: expect.any(String) })
    expect(container.resources.limits.memory).toMatch(/^\d+[MG]i$/u)
    expect(spec.template.spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 })
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    const user = container.env.find((setting) => setting.name === 'NATS_URL')
    expect(user?.valueFrom?.secretKeyRef).toEqual({ name: 'daybook-nats', key: name, optional: true })
    expect(manifest('Secret', 'daybook-nats').stringData?.[name]).toBe('')
    // What the read-only file system leaves to write to.
    expect(container.env).toContainEqual({ name: 'DAYBOOK_DATA_DIR', value: '/data/daybook' })
    expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toEqual(['/data', '/tmp'])
    expect(container.volumeMounts.map((mount) => mount.name)).toEqual(
      spec.template.spec.volumes.map((volume) => volume.name),
    )
  })

  test.each(SERVICES)('keep one %s through disruptions and give it an address', (name) => {
    const { spec } = manifest('Deployment', name)
    const budget = manifest('PodDisruptionBudget', name)
    const service = manifest('Service', name)
    expect(budget.spec.minAvailable).toBeLessThan(spec.replicas)
    expect(budget.spec.selector).toEqual(spec.selector)
    expect(service.spec.selector).toEqual(spec.selector.matchLabels)
    expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels)
    expect(service.spec.ports).toEqual([{ name: 'http', port: DEFAULT_PORTS[name], targetPort: 'http' }])
  })

  test('name settings that exist, and put no secret into the repository', () => {
    const { data = {} } = manifest('ConfigMap', 'daybook')
    const { stringData = {} } = manifest('Secret', 'daybook')
    expect([...Object.keys(data), ...Object.keys(stringData)].filter((name) => !SETTINGS.has(name))).toEqual(
      [],
    )
    expect(Object.values(stringData).filter((value) => value !== '')).toEqual([])
    // Kubernetes refuses a ConfigMap whose values are no texts.
    expect(Object.values(data).filter((value) => typeof value !== 'string')).toEqual([])
  })
})

describe('the image', () => {
  const dockerfile = read('infra/Dockerfile')

  test('is made in two stages of a fixed Node that the packages support, and runs as a user', () => {
    expect([...dockerfile.matchAll(/^FROM /gmu)]).toHaveLength(2)
    const [, version = ''] = /^ARG NODE_IMAGE=node:(\d+\.\d+)-[a-z-]+$/mu.exec(dockerfile) ?? []
    expect(Number(version)).toBeGreaterThanOrEqual(20.19)
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
