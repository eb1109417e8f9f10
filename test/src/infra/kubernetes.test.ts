import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ROUTES } from '@daybook/gateway/routes'
import { DEFAULT_PORTS } from '@daybook/runtime/config'
import { createMetrics } from '@daybook/runtime/metrics'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { renderKustomization } from './kustomize.ts'
import { expectBundle, read, root, SERVICES, SETTINGS } from './repository.ts'

/* The machines of development have no Kubernetes: this renders the manifests, and compares them with the code. */

interface Alert {
  readonly alert: string
  readonly expr: string
  readonly for: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string }
}

/** What is read here of Kubernetes' objects. */
interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly data?: Readonly<Record<string, string>>
  readonly stringData?: Readonly<Record<string, string>>
  readonly spec: {
    readonly replicas: number
    readonly minAvailable: number
    readonly minReplicas: number
    readonly maxReplicas: number
    readonly scaleTargetRef: object
    readonly podSelector: object
    readonly ingress?: readonly object[]
    readonly rules: readonly {
      readonly host: string
      readonly http: { readonly paths: readonly { readonly path: string; readonly backend: object }[] }
    }[]
    readonly groups: readonly { readonly rules: readonly Alert[] }[]
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

const render = (folder: string) =>
  renderKustomization(root(`infra/kubernetes/${folder}`)) as unknown as Manifest[]
const base = render('base')
const example = render('example')
const secrets = parseAllDocuments(read('infra/kubernetes/example/secret.yaml')).map(
  (document) => document.toJS() as Manifest,
)

function only(found: readonly Manifest[], what: string): Manifest {
  expect(found, what).toHaveLength(1)
  return found[0]!
}

const named = (from: readonly Manifest[], kind: string, name: string) =>
  only(
    from.filter((one) => one.kind === kind && one.metadata.name === name),
    `${kind} ${name}`,
  )
const manifest = (kind: string, name: string) => named(base, kind, name)
const secretNamed = (name: string) => named(secrets, 'Secret', name)

/** How many there are at least. */
function replicasOf(name: string): number {
  const scaled = base.find((one) => one.kind === 'HorizontalPodAutoscaler' && one.metadata.name === name)
  return scaled?.spec.minReplicas ?? manifest('Deployment', name).spec.replicas
}

const sourcesIn = (folder: string) =>
  readdirSync(root(folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /^(?!.*node_modules).*\/src\/.*(?<!\.test)\.ts$/u.test(file))
    .map((file) => join(folder, file))

describe('the Kubernetes manifests', () => {
  test.each(SERVICES)('run %s several times, with probes, limits and no rights', (name) => {
    const { spec } = manifest('Deployment', name)
    const container = spec.template.spec.containers[0]!
    const port = DEFAULT_PORTS[name]
    expectBundle(name, container.command)
    expect(replicasOf(name)).toBeGreaterThan(1)
    expect(container.image).toBe('daybook:0.1.0')
    expect(container.ports).toEqual([{ name: 'http', containerPort: port }])
    expect(container.env).toContainEqual({ name: 'DAYBOOK_PORT', value: String(port) })
    expect(container.env.filter((setting) => !SETTINGS.has(setting.name))).toEqual([])
    expect(container.envFrom).toEqual([{ configMapRef: { name: 'daybook' } }])
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
    expect(secretNamed('daybook-nats').stringData?.[name]).toBe('')
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
    expect(budget.spec.minAvailable).toBeLessThan(replicasOf(name))
    expect(budget.spec.selector).toEqual(spec.selector)
    expect(service.spec.selector).toEqual(spec.selector.matchLabels)
    expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels)
    expect(service.spec.ports).toEqual([{ name: 'http', port: DEFAULT_PORTS[name], targetPort: 'http' }])
  })

  test('name settings that exist, and put no secret into the repository', () => {
    const { data = {} } = manifest('ConfigMap', 'daybook')
    const { stringData = {} } = secretNamed('daybook')
    expect([...Object.keys(data), ...Object.keys(stringData)].filter((name) => !SETTINGS.has(name))).toEqual(
      [],
    )
    expect(Object.values(stringData).filter((value) => value !== '')).toEqual([])
    // Kubernetes refuses a ConfigMap whose values are no texts.
    expect(Object.values(data).filter((value) => typeof value !== 'string')).toEqual([])
  })

  test('give each service the secrets that its work needs, and the administrator’s key to gateways only', () => {
    for (const name of SERVICES) {
      const taken = manifest('Deployment', name).spec.template.spec.containers[0]!.env.flatMap(
        ({ name: setting, valueFrom }) =>
          valueFrom === undefined ? [] : [[setting, valueFrom.secretKeyRef]],
      )
      const own = (secret: string) => ({ name: secret, key: name, optional: true })
      const shared = (key: string) => ({ name: 'daybook', key })
      const asksTypesense = ['gateway', 'projector-typesense', 'reindex'].includes(name)
      expect(Object.fromEntries(taken), name).toEqual({
        DATABASE_URL: shared('DATABASE_URL'),
        DAYBOOK_OWNER_URL: { ...shared('DAYBOOK_OWNER_URL'), optional: true },
        NATS_URL: own('daybook-nats'),
        ...(name === 'gateway' && { DAYBOOK_DEFAULT_KEY: shared('DAYBOOK_DEFAULT_KEY') }),
        ...(asksTypesense && { TYPESENSE_API_KEY: own('daybook-typesense') }),
      })
    }
    expect(Object.keys(secretNamed('daybook').stringData ?? {})).toEqual([
      'DATABASE_URL',
      'DAYBOOK_OWNER_URL',
      'DAYBOOK_DEFAULT_KEY',
    ])
  })

  test('name no namespace of their own, and get that of the installation', () => {
    expect(new Set(base.map(({ metadata }) => metadata.namespace))).toEqual(new Set([undefined]))
    expect(new Set(example.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['daybook']))
    expect(JSON.stringify(base)).not.toContain('.default')
  })

  test('scale deployments that there are, which fix no number of replicas', () => {
    const scaled = base.filter(({ kind }) => kind === 'HorizontalPodAutoscaler')
    expect(scaled.map(({ metadata }) => metadata.name)).toEqual(['gateway', 'projector-pgvector'])
    for (const { metadata, spec } of scaled) {
      expect(spec.scaleTargetRef).toEqual({ apiVersion: 'apps/v1', kind: 'Deployment', name: metadata.name })
      expect(manifest('Deployment', metadata.name).spec.replicas).toBeUndefined()
      expect(spec.maxReplicas).toBeGreaterThan(spec.minReplicas)
    }
  })

  test('close all pods to the network, but the API and the metrics', () => {
    const policies = base.filter(({ kind }) => kind === 'NetworkPolicy')
    const ofAll = { matchLabels: { 'app.kubernetes.io/part-of': 'daybook' } }
    expect(policies.map(({ spec }) => [spec.podSelector, spec.ingress?.length ?? 0])).toEqual([
      [ofAll, 0],
      [{ matchLabels: { 'app.kubernetes.io/name': 'gateway' } }, 1],
      [ofAll, 1],
    ])
    for (const name of SERVICES)
      expect(manifest('Deployment', name).spec.template.metadata.labels).toMatchObject(ofAll.matchLabels)
  })

  test('lead an Ingress to routes that are for others, under a name that gateways answer to', () => {
    const ingress = example.find(({ kind }) => kind === 'Ingress')
    const [rule] = ingress?.spec.rules ?? []
    for (const { path, backend } of rule?.http.paths ?? []) {
      expect(ROUTES.map((route) => route.path)).toContain(path)
      expect(backend).toEqual({ service: { name: 'gateway', port: { name: 'http' } } })
    }
    expect(rule?.http.paths.map(({ path }) => path)).toEqual([
      '/graphql',
      '/mcp',
      '/.well-known/oauth-protected-resource',
    ])
    const settings = example.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'daybook')
    expect(settings?.data?.['DAYBOOK_ALLOWED_HOSTS']?.split(',')).toContain(rule?.host)
    expect(JSON.stringify(example)).toContain('"image":"registry.example.com/daybook:0.1.0"')
  })
})

describe('what is watched', () => {
  const rules = example.filter(({ kind }) => kind === 'PrometheusRule')
  const dashboard = JSON.parse(read('infra/kubernetes/monitoring/dashboard.json')) as {
    readonly panels: readonly {
      readonly title: string
      readonly targets: readonly { readonly expr: string }[]
    }[]
  }
  const alerts = rules.flatMap(({ spec }) => spec.groups.flatMap((group) => group.rules))
  const asked = [
    ...alerts.map(({ expr }) => expr),
    ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ]
  const namesIn = (expr: string) => expr.match(/\b(?:daybook|nodejs|process)_\w+/gu) ?? []

  test('are only metrics that the code registers', async () => {
    const registered = new Set(
      ['libs', 'services'].flatMap((folder) =>
        sourcesIn(folder).flatMap((file) =>
          [...read(file).matchAll(/name: '(daybook_\w+)'/gu)].map((match) => match[1] ?? ''),
        ),
      ),
    )
    const ofNode = await createMetrics({ service: 'test' }).text()
    for (const name of asked.flatMap(namesIn)) {
      const metric = name.replace(/_(?:bucket|sum|count)$/u, '')
      if (metric.startsWith('daybook_')) expect(registered, name).toContain(metric)
      else expect(ofNode).toContain(`# TYPE ${metric} `)
    }
    expect(asked.flatMap(namesIn).length).toBeGreaterThan(20)
  })

  test('and docs/monitoring.md explains each', () => {
    const page = read('docs/monitoring.md')
    for (const name of asked.flatMap(namesIn))
      expect(page).toContain(name.replace(/_(?:bucket|sum|count)$/u, '').replace(/^process_.*/u, 'process_'))
  })

  test('alerts say what is wrong and for how long', () => {
    for (const { alert, for: lasting, labels, annotations } of alerts) {
      expect(alert).toMatch(/^Daybook[A-Z]\w+$/u)
      expect(lasting).toMatch(/^\d+m$/u)
      expect(['warning', 'critical']).toContain(labels.severity)
      expect(annotations.summary).toMatch(/\w/u)
    }
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length)
  })
})
