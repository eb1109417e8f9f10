import { z } from 'zod'
import { DEFAULT_HTTP_LIMITS } from './http/limits.ts'
import { parseBytes, parseDuration } from './units.ts'

const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(least, `must be at least ${least}`).max(most, `must be at most ${most}`))

const url = (...schemes: string[]) =>
  z.string().refine((value) => schemes.some((scheme) => value.startsWith(`${scheme}://`)), {
    message: `must begin with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
  })

/** Several servers of one cluster, separated by commas. */
const urls = (...schemes: string[]) =>
  z
    .string()
    .refine((value) => value.split(',').every((one) => url(...schemes).safeParse(one.trim()).success), {
      message: `must be addresses that begin with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
    })

const measured = (parse: (text: string) => number | null, example: string) =>
  z.string().transform((text, context) => {
    const value = parse(text)
    if (value !== null && value > 0) return value
    context.addIssue({ code: 'custom', message: `must be ${example}` })
    return z.NEVER
  })

const duration = measured(parseDuration, 'a whole number with a unit: 500ms, 30s, 2m, 12h, 7d')
const bytes = measured(parseBytes, 'a number of bytes, or with a unit: 512MiB, 10GiB')

/** What the documentation says about a setting, besides its default. */
interface Documentation {
  readonly type: string
  readonly description: string
}

const documented = <Schema extends z.ZodType>(schema: Schema, type: string, description: string): Schema =>
  schema.meta({ type, description } satisfies Documentation)

/** Every setting, read from the environment. `docs/operations.md` is generated from it (`npm run docs`). */
export const SETTINGS = z
  .object({
    DAYBOOK_HOST: documented(
      z.string().min(1).prefault('127.0.0.1'),
      'address',
      'Address that a service listens on. Containers need `0.0.0.0`',
    ),
    DAYBOOK_PORT: documented(
      wholeNumber(0, 65_535).prefault('4000'),
      'port',
      'Port of the API, and of `/health`, `/ready` and `/metrics`; 0 picks a free one. Other services have other defaults: 4001 (pgvector projector), 4002 (Typesense projector), 4003 (reindex)',
    ),
    DAYBOOK_MAX_CONNECTIONS: documented(
      wholeNumber(1, 1_000_000).prefault(String(DEFAULT_HTTP_LIMITS.maxConnections)),
      'connections',
      'HTTP and WebSocket connections that a service accepts at a time; more are closed at once',
    ),
    DAYBOOK_WRITE_TIMEOUT: documented(
      duration.prefault('30s'),
      'duration',
      'How long a client may read nothing of a waiting answer before its connection is cut',
    ),
    DAYBOOK_GRAPHIQL: documented(
      z.enum(['on', 'off']).prefault('on'),
      '`on` or `off`',
      'Whether browsers get GraphiQL at `/graphql`',
    ),
    DAYBOOK_DATA_DIR: documented(
      z.string().min(1).prefault('.daybook'),
      'folder',
      'Folder for the API key, the embedded database and caches',
    ),
    DAYBOOK_DEFAULT_KEY: documented(
      z
        .string()
        .regex(/^dbk_[\w-]{32,200}$/u, 'must be dbk_ and 32 to 200 letters, digits, - or _')
        .optional(),
      'secret',
      'Key of the project `default`, the same for all gateways; without it each makes one in its data folder',
    ),
    DATABASE_URL: documented(
      url('postgres', 'postgresql').optional(),
      'URL',
      'Postgres with pgvector; without it the embedded database is used',
    ),
    DAYBOOK_OWNER_URL: documented(
      url('postgres', 'postgresql').optional(),
      'URL',
      'The same database as the owner of its tables, used at the start only: for migrations and the key of the project `default`. With it, the user of `DATABASE_URL` need not own anything and cannot change the journal; without it, that user is the owner',
    ),
    DAYBOOK_STATEMENT_TIMEOUT: documented(
      duration.prefault('30s'),
      'duration',
      'Longest time for one statement of a request on a Postgres server. After that the request fails with `UNAVAILABLE` and can be tried again. The embedded database runs each statement to its end',
    ),
    DAYBOOK_LONG_STATEMENT_TIMEOUT: documented(
      duration.prefault('10m'),
      'duration',
      'The same for projectors, rebuilds and verification. Migrations and index builds have no limit',
    ),
    NATS_URL: documented(
      urls('nats', 'tls').optional(),
      'URLs',
      'NATS servers with JetStream, separated by commas; without it events travel inside the process and other processes poll the journal',
    ),
    DAYBOOK_NATS_REPLICAS: documented(
      wholeNumber(1, 5).prefault('1'),
      '1 to 5',
      'Copies of the stream in a NATS cluster',
    ),
    DAYBOOK_NATS_MAX_AGE: documented(
      duration.prefault('7d'),
      'duration',
      'How long the stream keeps an event. Older ones are read from the journal',
    ),
    DAYBOOK_NATS_MAX_BYTES: documented(
      bytes.prefault('1GiB'),
      'bytes',
      'Largest size of the stream; beyond it the oldest events are deleted. NATS reserves this size on its disk',
    ),
    DAYBOOK_NATS_DUPLICATE_WINDOW: documented(
      duration.prefault('2m'),
      'duration',
      'How long NATS remembers event ids to drop repeats. This only saves work: projections skip repeats by themselves',
    ),
    TYPESENSE_URL: documented(
      url('http', 'https').optional(),
      'URL',
      'Typesense server; without it words are searched in Postgres',
    ),
    TYPESENSE_API_KEY: documented(
      z.string().min(1).optional(),
      'secret',
      'Key of the Typesense server; required with `TYPESENSE_URL`',
    ),
    DAYBOOK_TYPESENSE_SEARCH_TIME: documented(
      duration.prefault('2s'),
      'duration',
      'The longest that one search waits for Typesense in total before Postgres answers it. If Typesense usually answers sooner, a search waits less, down to a quarter of this',
    ),
    DAYBOOK_EMBEDDER: documented(
      z
        .string()
        .regex(/^(minilm|none|test-hash\/[1-9]\d{0,3})$/u, 'must be minilm or none')
        .prefault('minilm'),
      '`minilm` or `none`',
      'What makes vectors: minilm (on this machine) or none (search by words only). For tests also `test-hash/64`, which compares words, not meaning',
    ),
    DAYBOOK_KEEP_GENERATION: documented(
      duration.prefault('1d'),
      'duration',
      'How long a generation stays for a rollback after a rebuild has replaced it. It is kept up to date meanwhile',
    ),
    DAYBOOK_SELF_CHECK: documented(
      z.union([z.literal('off').transform(() => 0), duration]).prefault('5s'),
      'duration or `off`',
      'How often projectors compare a part of each project with the journal and rewrite what differs. This takes at most about a twentieth of the database’s time, so with many projects each is checked less often',
    ),
    DAYBOOK_INDEX_WORKERS: documented(
      wholeNumber(0, 64).prefault('0'),
      '0 to 64',
      'Additional cores of a Postgres server that a rebuild may use to build the index of vectors; it always uses one. With 0, the others stay free for searches; a large server with many memories can use more. In a container, Postgres then needs 512 MB of shared memory (`shm_size`)',
    ),
    DAYBOOK_MODEL_DIR: documented(
      z.string().min(1).optional(),
      'folder',
      'Folder with the model as transformers.js reads it, instead of the npm package',
    ),
    DAYBOOK_MODEL_CACHE: documented(
      z.string().min(1).optional(),
      'folder',
      'Folder for models in the form in which they are loaded, 91 MB each. Default: `daybook/models` in the user’s cache folder, for all data folders',
    ),
    DAYBOOK_SUBSCRIPTIONS_PER_CONNECTION: documented(
      wholeNumber(1, 100_000).prefault('100'),
      'number',
      'Subscriptions that may be open on one WebSocket',
    ),
    DAYBOOK_SUBSCRIPTIONS_PER_KEY: documented(
      wholeNumber(1, 1_000_000).prefault('1000'),
      'number',
      'Subscriptions that may be open with one key, over all connections of one gateway',
    ),
    DAYBOOK_REQUEST_DEADLINE: documented(
      duration.prefault('30s'),
      'duration',
      'How long a query or mutation may take until it is answered. Work that it began still runs to its end, and counts for its key until then',
    ),
    DAYBOOK_REQUESTS_PER_KEY: documented(
      wholeNumber(1, 100_000).prefault('100'),
      'number',
      'Queries and mutations of one key that a gateway works on at a time; others wait for 5 s and are then refused as `BUSY`',
    ),
    OTEL_EXPORTER_OTLP_ENDPOINT: documented(
      url('http', 'https').optional(),
      'URL',
      "OpenTelemetry collector; traces are made and sent only if it is set. The SDK's other `OTEL_*` variables apply too",
    ),
    LOG_LEVEL: documented(
      z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).prefault('info'),
      '`trace` to `fatal`, `silent`',
      'Lowest level of log lines that are written',
    ),
  })
  .superRefine((settings, context) => {
    const problem = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message })
    if (settings.DAYBOOK_OWNER_URL !== undefined && settings.DATABASE_URL === undefined)
      problem('DATABASE_URL', 'is required where DAYBOOK_OWNER_URL is set: it names the same database')
    if (settings.TYPESENSE_URL !== undefined && settings.TYPESENSE_API_KEY === undefined)
      problem('TYPESENSE_API_KEY', 'is required where TYPESENSE_URL is set')
    if (settings.DAYBOOK_NATS_DUPLICATE_WINDOW > settings.DAYBOOK_NATS_MAX_AGE)
      problem(
        'DAYBOOK_NATS_DUPLICATE_WINDOW',
        'must not be longer than DAYBOOK_NATS_MAX_AGE: NATS refuses such a stream',
      )
  })

/** A setting as the documentation shows it. */
export interface SettingDocumentation extends Documentation {
  readonly name: string
  /** As written in the environment; null if there is no default. */
  readonly default: string | null
}

/** All settings, in the order of the schema. */
export function describeSettings(): SettingDocumentation[] {
  return Object.entries(SETTINGS.shape).map(([name, schema]) => {
    const { type, description } = schema.meta() as unknown as Documentation
    const standard = schema instanceof z.ZodPrefault ? String(schema.def.defaultValue) : null
    return { name, type, description, default: standard }
  })
}
