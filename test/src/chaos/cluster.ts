import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startNativeServer } from '@daybook/postgres/testing/native-server'
import type { NativeServer } from '@daybook/postgres/testing/running-server'
import { type NativeNats, startNativeNats } from '@daybook/transport/testing/native-nats'
import { bundleServices } from '../support/bundle-services.ts'
import { type Api, askGraphQL, TransportError } from '../support/graphql.ts'
import { type ClusterTypesense, startClusterTypesense, type TypesenseServer } from './cluster-typesense.ts'
import { createServiceProcess, type ServiceName, type ServiceProcess } from './service-process.ts'

/** Real servers, a Typesense, and as a rule two processes of each service: a team's Daybook on one machine. */
export interface Cluster<
  Typesense extends TypesenseServer = ClusterTypesense,
  Postgres extends NativeServer = NativeServer,
> {
  readonly postgres: Postgres
  readonly nats: NativeNats
  readonly typesense: Typesense
  readonly services: readonly ServiceProcess[]
  /** Answers as long as a gateway does. It asks the gateway with the fewest requests under way. */
  readonly api: Api
  /** The gateways that listen now. */
  gatewayUrls(): string[]
  readonly apiKey: string
  /** The folder with data folders and logs. */
  readonly folder: string
  /** Stops everything, and deletes the folder unless it should be kept. */
  stop(options?: { keepFolder?: boolean }): Promise<void>
}

export const SERVICES: readonly ServiceName[] = [
  'gateway',
  'projector-pgvector',
  'projector-typesense',
  'reindex',
]
/** How long JetStream remembers ids: during a longer fault it stores the same event again. */
export const DUPLICATE_WINDOW_MS = 1_000

/** How a cluster is set up. */
export interface ClusterOptions {
  /** The value of `DAYBOOK_EMBEDDER`. */
  readonly embedder: string
  /**
   * Who has the embedder. `some`: one replica of each projector; the others leave texts in its queue. `all`:
   * every service.
   */
  readonly embedderOf: 'some' | 'all'
  /** The services of which one process runs, and not two. Default none. */
  readonly alone?: readonly ServiceName[]
  /** Whether there is NATS; without it events reach the projectors only through the journal. Default true. */
  readonly withNats?: boolean
}

/** The servers of a cluster that a test may replace. */
export interface ClusterServers<Typesense extends TypesenseServer, Postgres extends NativeServer> {
  readonly startTypesense: () => Promise<Typesense>
  readonly startPostgres: () => Promise<Postgres>
}

/**
 * Starts a cluster with a Typesense that a test can damage: the named real server, or the double in this
 * process.
 */
export function startCluster(options: ClusterOptions): Promise<Cluster> {
  return startClusterWith(options, {
    startTypesense: startClusterTypesense,
    startPostgres: startNativeServer,
  })
}

/** Starts a cluster with these servers. */
export async function startClusterWith<Typesense extends TypesenseServer, Postgres extends NativeServer>(
  { embedder, embedderOf, alone = [], withNats = true }: ClusterOptions,
  { startTypesense, startPostgres }: ClusterServers<Typesense, Postgres>,
): Promise<Cluster<Typesense, Postgres>> {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-cluster-'))
  const postgres = await startPostgres()
  const nats = await startNativeNats()
  const typesense = await startTypesense()
  const environment = {
    DATABASE_URL: postgres.url,
    ...(withNats && { NATS_URL: nats.url }),
    TYPESENSE_URL: typesense.url,
    TYPESENSE_API_KEY: typesense.apiKey,
    DAYBOOK_NATS_DUPLICATE_WINDOW: `${DUPLICATE_WINDOW_MS}ms`,
  }
  const services = SERVICES.flatMap((service) =>
    (alone.includes(service) ? [1] : [1, 2]).map((replica) =>
      createServiceProcess({
        name: `${service}-${replica}`,
        service,
        folder,
        environment: {
          ...environment,
          DAYBOOK_EMBEDDER:
            embedderOf === 'all' || (replica === 1 && service !== 'gateway') ? embedder : 'none',
        },
      }),
    ),
  )
  const stop: Cluster['stop'] = async ({ keepFolder = false } = {}) => {
    await Promise.all(services.map((service) => service.stop()))
    await Promise.all([postgres.stop(), nats.stop(), typesense.stop()])
    if (!keepFolder) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  const gatewayUrls = () => services.flatMap((one) => (one.service === 'gateway' ? (one.url() ?? []) : []))
  const underWay = new Map<string, number>()
  const waitingAt = (url: string) => underWay.get(url) ?? 0
  try {
    // Both processes of a service would bundle it.
    await bundleServices(SERVICES)
    await Promise.all(services.map((service) => service.start()))
  } catch (error) {
    await stop({ keepFolder: true })
    throw error
  }
  // Both gateways' keys open the same project, so this one works even while gateway-1 is down.
  const apiKey = readFileSync(join(folder, 'gateway-1', 'api-key'), 'utf8').trim()
  return {
    postgres,
    nats,
    typesense,
    services,
    folder,
    gatewayUrls,
    apiKey,
    stop,
    api: {
      running: () => gatewayUrls().length > 0,
      async graphql(request) {
        // Like a load balancer, take the one with the fewest requests under way. With strict turns, two
        // callers in step would each always get the same gateway.
        const [url] = gatewayUrls().toSorted((one, other) => waitingAt(one) - waitingAt(other))
        if (url === undefined) throw new TransportError('no gateway listens')
        underWay.set(url, waitingAt(url) + 1)
        try {
          return await askGraphQL({ url, apiKey }, request)
        } finally {
          underWay.set(url, waitingAt(url) - 1)
        }
      },
    },
  }
}
