import { join, resolve } from 'node:path'
import { DaybookError } from '@daybook/memory/errors'
import envPaths from 'env-paths'
import type { HttpLimits } from './http/limits.ts'
import { SETTINGS } from './settings.ts'

/** How to reach NATS, and how its stream is kept. */
export interface NatsConfig {
  /** Several servers of one cluster are separated by commas. */
  readonly url: string
  readonly stream: {
    readonly replicas: number
    readonly maxAgeMs: number
    readonly maxBytes: number
    readonly duplicateWindowMs: number
  }
}

/** How to reach Typesense. */
export interface TypesenseConfig {
  readonly url: string
  readonly apiKey: string
  /** The longest that one search waits for Typesense, in milliseconds. */
  readonly searchTimeMs: number
}

/** The checked settings of a Daybook process; paths are absolute. */
export interface Config {
  readonly host: string
  readonly port: number
  readonly httpLimits: HttpLimits
  /** Whether browsers get GraphiQL. */
  readonly graphiql: boolean
  readonly dataDir: string
  /** Undefined: the first start makes one. */
  readonly defaultKey: string | undefined
  readonly databaseUrl: string | undefined
  /** The same database as its owner. Undefined: `databaseUrl` is the owner's. */
  readonly ownerUrl: string | undefined
  /** Longest time for a statement of a request, in milliseconds. */
  readonly statementTimeoutMs: number
  /** The same for background work. */
  readonly longStatementTimeoutMs: number
  /** Undefined: events travel inside the process, and projectors elsewhere poll the journal. */
  readonly nats: NatsConfig | undefined
  /** Undefined: words are searched in Postgres. */
  readonly typesense: TypesenseConfig | undefined
  /** The name of a model (`@daybook/embeddings/models`), or `none`. */
  readonly embedder: string
  readonly modelDir: string | undefined
  /** The folder in which prepared models are kept. */
  readonly modelCacheDir: string
  /** How long a generation stays after another has replaced it, in milliseconds. */
  readonly keepGenerationMs: number
  /** Milliseconds between self-checks of a project's projections; 0: none. */
  readonly selfCheckMs: number
  /** Parallel workers that build the index of vectors. */
  readonly indexWorkers: number
  /** How many subscriptions a gateway serves at a time. */
  readonly subscriptions: { readonly perConnection: number; readonly perKey: number }
  /** The limits of a gateway for one request and for one key. */
  readonly work: { readonly deadlineMs: number; readonly perKey: number }
  /** Undefined: no traces. */
  readonly otlpEndpoint: string | undefined
  readonly logLevel: string
}

/**
 * The port of each service unless `DAYBOOK_PORT` says otherwise: all different, so that they can run on one
 * machine.
 */
export const DEFAULT_PORTS = {
  gateway: 4000,
  'projector-pgvector': 4001,
  'projector-typesense': 4002,
  reindex: 4003,
} as const

/**
 * Reads the environment; an empty variable counts as absent.
 * @param defaultPort the service's port if `DAYBOOK_PORT` is absent
 * @throws DaybookError CONFIGURATION naming the variable; the value is not shown, because it may hold a
 * password
 */
export function readConfig(
  environment: Readonly<Record<string, string | undefined>>,
  { defaultPort = DEFAULT_PORTS.gateway }: { defaultPort?: number } = {},
): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const result = SETTINGS.safeParse({ ...given, DAYBOOK_PORT: given['DAYBOOK_PORT'] ?? String(defaultPort) })
  if (!result.success) {
    const problems = result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
    throw new DaybookError('CONFIGURATION', `The environment is not right.\n${problems.join('\n')}`)
  }
  const settings = result.data
  return {
    host: settings.DAYBOOK_HOST,
    port: settings.DAYBOOK_PORT,
    httpLimits: {
      writeTimeoutMs: settings.DAYBOOK_WRITE_TIMEOUT,
      maxConnections: settings.DAYBOOK_MAX_CONNECTIONS,
    },
    graphiql: settings.DAYBOOK_GRAPHIQL === 'on',
    dataDir: resolve(settings.DAYBOOK_DATA_DIR),
    defaultKey: settings.DAYBOOK_DEFAULT_KEY,
    databaseUrl: settings.DATABASE_URL,
    ownerUrl: settings.DAYBOOK_OWNER_URL,
    statementTimeoutMs: settings.DAYBOOK_STATEMENT_TIMEOUT,
    longStatementTimeoutMs: settings.DAYBOOK_LONG_STATEMENT_TIMEOUT,
    nats:
      settings.NATS_URL === undefined
        ? undefined
        : {
            url: settings.NATS_URL,
            stream: {
              replicas: settings.DAYBOOK_NATS_REPLICAS,
              maxAgeMs: settings.DAYBOOK_NATS_MAX_AGE,
              maxBytes: settings.DAYBOOK_NATS_MAX_BYTES,
              duplicateWindowMs: settings.DAYBOOK_NATS_DUPLICATE_WINDOW,
            },
          },
    typesense:
      settings.TYPESENSE_URL === undefined
        ? undefined
        : {
            url: settings.TYPESENSE_URL,
            apiKey: settings.TYPESENSE_API_KEY ?? '',
            searchTimeMs: settings.DAYBOOK_TYPESENSE_SEARCH_TIME,
          },
    embedder: settings.DAYBOOK_EMBEDDER,
    keepGenerationMs: settings.DAYBOOK_KEEP_GENERATION,
    selfCheckMs: settings.DAYBOOK_SELF_CHECK,
    indexWorkers: settings.DAYBOOK_INDEX_WORKERS,
    modelDir: settings.DAYBOOK_MODEL_DIR === undefined ? undefined : resolve(settings.DAYBOOK_MODEL_DIR),
    modelCacheDir:
      settings.DAYBOOK_MODEL_CACHE === undefined
        ? join(envPaths('daybook', { suffix: '' }).cache, 'models')
        : resolve(settings.DAYBOOK_MODEL_CACHE),
    subscriptions: {
      perConnection: settings.DAYBOOK_SUBSCRIPTIONS_PER_CONNECTION,
      perKey: settings.DAYBOOK_SUBSCRIPTIONS_PER_KEY,
    },
    work: {
      deadlineMs: settings.DAYBOOK_REQUEST_DEADLINE,
      perKey: settings.DAYBOOK_REQUESTS_PER_KEY,
    },
    otlpEndpoint: settings.OTEL_EXPORTER_OTLP_ENDPOINT,
    logLevel: settings.LOG_LEVEL,
  }
}
