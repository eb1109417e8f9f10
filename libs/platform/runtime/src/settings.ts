import { existsSync } from 'node:fs'
import { join } from 'node:path'
import envPaths from 'env-paths'
import { z } from 'zod'
import { DEFAULT_HTTP_LIMITS } from './http/http-server.ts'
import {
  bytes,
  duration,
  folder,
  hostNames,
  list,
  names,
  onOrOff,
  origins,
  privateOrigin,
  privateUrl,
  type Settings,
  url,
  urls,
  waitingTime,
  wholeNumber,
} from './settings/setting.ts'

/**
 * Every setting, read from the environment. `Config` and the table in `docs/settings.md` (`npm run docs`)
 * follow from it, so a new setting is an entry here. Durations are in milliseconds, paths are absolute.
 */
export const SETTINGS = {
  host: {
    name: 'DAYBOOK_HOST',
    schema: z.string().min(1).prefault('127.0.0.1'),
    type: 'address',
    description: 'Address that a service listens on. Containers need `0.0.0.0`',
  },
  port: {
    name: 'DAYBOOK_PORT',
    schema: wholeNumber(0, 65_535).prefault('4000'),
    type: 'port',
    description:
      'Port of the API, and of `/health`, `/ready` and `/metrics`; 0 picks a free one. Other services have other defaults: 4001 (pgvector projector), 4002 (Typesense projector), 4003 (reindex), 4004 (sync)',
  },
  allowedHosts: {
    name: 'DAYBOOK_ALLOWED_HOSTS',
    schema: hostNames.prefault(''),
    type: 'names',
    description:
      'Names, separated by commas, that clients may ask for beside its own address: `daybook.example.com`, `gateway:4000`. A name without a port also allows 80, 443 and the own port. Other names get 421 (`HOST_NOT_ALLOWED`)',
  },
  allowedOrigins: {
    name: 'DAYBOOK_ALLOWED_ORIGINS',
    schema: origins.prefault(''),
    type: 'origins',
    description:
      'Origins, separated by commas, whose pages may use the API in browsers: `https://app.example.com`. Pages of other origins get 403 (`ORIGIN_NOT_ALLOWED`)',
  },
  nextHomes: {
    name: 'DAYBOOK_NEXT_HOMES',
    schema: hostNames.prefault(''),
    type: 'names',
    description:
      'Names, separated by commas, of Daybooks that projects may be handed over to (`daybook sync promote` there): `laptop:4000`, `127.0.0.1`. A name without a port allows all. Others may only be named by a key that may run the whole Daybook; addresses of this machine or link (127.0.0.1, 169.254.169.254) only here',
  },
  httpLimits: {
    maxConnections: {
      name: 'DAYBOOK_MAX_CONNECTIONS',
      schema: wholeNumber(1, 1_000_000).prefault(String(DEFAULT_HTTP_LIMITS.maxConnections)),
      type: 'connections',
      description: 'HTTP and WebSocket connections that a service accepts at a time; more are closed at once',
    },
    writeTimeoutMs: {
      name: 'DAYBOOK_WRITE_TIMEOUT',
      schema: waitingTime.prefault('30s'),
      type: 'duration',
      description: 'How long a client may read nothing of a waiting answer before its connection is cut',
    },
    headersTimeoutMs: {
      name: 'DAYBOOK_HEADERS_TIMEOUT',
      schema: waitingTime.prefault('15s'),
      type: 'duration',
      description: 'How long the head of a request may take to arrive; a slower one gets 408',
    },
    requestTimeoutMs: {
      name: 'DAYBOOK_REQUEST_TIMEOUT',
      schema: waitingTime.prefault('60s'),
      type: 'duration',
      description:
        'How long a whole request may take to arrive; a slower one gets 408. An import has no time limit, but must not send nothing for that long',
    },
    keepAliveMs: {
      name: 'DAYBOOK_KEEP_ALIVE_TIMEOUT',
      schema: waitingTime.prefault('75s'),
      type: 'duration',
      description:
        'How long a connection may stay open between two requests. It must be longer than your load balancer keeps its own (AWS: 60 s)',
    },
  },
  graphiql: {
    name: 'DAYBOOK_GRAPHIQL',
    schema: onOrOff.optional(),
    type: '`on` or `off`',
    description:
      'Whether browsers get GraphiQL at `/graphql`. Default: `on` if `DAYBOOK_HOST` is a loopback address, `off` elsewhere',
  },
  console: {
    enabled: {
      name: 'DAYBOOK_CONSOLE',
      schema: onOrOff.prefault('on'),
      type: '`on` or `off`',
      description:
        'Whether browsers get the [web console](console.md) at `/`. It shows nothing without a login',
    },
    folder: {
      name: 'DAYBOOK_CONSOLE_DIR',
      schema: folder
        .refine(
          (path) => existsSync(join(path, 'index.html')),
          'must be a folder with a built console (index.html)',
        )
        .optional(),
      type: 'folder',
      description: 'Folder with the built console. Default: the one beside the program',
    },
    sessionMs: {
      name: 'DAYBOOK_CONSOLE_SESSION',
      schema: duration.prefault('7d'),
      type: 'duration',
      description: 'How long a login to the console lasts at most',
    },
    sessionIdleMs: {
      name: 'DAYBOOK_CONSOLE_IDLE',
      schema: duration.prefault('12h'),
      type: 'duration',
      description: 'After how long without a request a login to the console ends',
    },
  },
  projectMetrics: {
    name: 'DAYBOOK_PROJECT_METRICS',
    schema: onOrOff.prefault('off'),
    type: '`on` or `off`',
    description:
      'Whether `/metrics`, which needs no key, shows what each project holds, by the id of the project',
  },
  introspection: {
    name: 'DAYBOOK_INTROSPECTION',
    schema: onOrOff.optional(),
    type: '`on` or `off`',
    description:
      'Whether clients may ask for the GraphQL schema, as GraphiQL and code generators do. Default: `on` if `DAYBOOK_HOST` is a loopback address, `off` elsewhere',
  },
  dataDir: {
    name: 'DAYBOOK_DATA_DIR',
    schema: folder.prefault('.daybook'),
    type: 'folder',
    description:
      'Folder for the API key, the embedded database and caches. Default of `daybook start`: the [folder that is found](running.md#the-data-folder)',
  },
  defaultKey: {
    name: 'DAYBOOK_DEFAULT_KEY',
    schema: z
      .string()
      .regex(/^dbk_[\w-]{32,200}$/u, 'must be dbk_ and 32 to 200 letters, digits, - or _')
      .optional(),
    type: 'secret',
    secret: true,
    description:
      'Key of the project `default`, the same for all gateways; without it each makes one in its data folder',
  },
  oauth: {
    issuer: {
      name: 'DAYBOOK_OAUTH_ISSUER',
      schema: privateUrl.optional(),
      type: 'URL',
      description:
        'Authorization server whose access tokens (JWT) are taken beside keys, just as it writes itself in `iss`: `https://login.example.com/`. Without it no tokens are taken. [How](projects-and-keys.md#access-tokens-oauth)',
    },
    resource: {
      name: 'DAYBOOK_OAUTH_RESOURCE',
      schema: privateOrigin.optional(),
      type: 'origin',
      description:
        'Where clients with tokens reach this Daybook: `https://daybook.example.com`; required with `DAYBOOK_OAUTH_ISSUER`. Tokens must be for it (`aud`), or for `/mcp` or `/graphql` there',
    },
    audience: {
      name: 'DAYBOOK_OAUTH_AUDIENCE',
      schema: list.prefault(''),
      type: 'names',
      description:
        'What else `aud` may be, separated by commas, for an issuer that gives resources names of its own',
    },
    projects: {
      name: 'DAYBOOK_OAUTH_PROJECTS',
      schema: list.prefault(''),
      type: 'names',
      description:
        'Projects, by name or id, separated by commas, that a token without the claim `daybook_projects` opens. Without it such a token opens none',
    },
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    schema: url('postgres', 'postgresql').optional(),
    type: 'URL',
    secret: true,
    description: 'Postgres with pgvector; without it the embedded database is used',
  },
  fsync: {
    name: 'DAYBOOK_FSYNC',
    schema: onOrOff.prefault('on'),
    type: '`on` or `off`',
    description:
      'Whether the embedded database acknowledges a write only when it is on the disk. With `off` a power cut can lose the last moments, or the whole database; where that does not matter, single writes are faster',
  },
  ownerUrl: {
    name: 'DAYBOOK_OWNER_URL',
    schema: url('postgres', 'postgresql').optional(),
    type: 'URL',
    secret: true,
    description:
      'The same database as the owner of its tables, used at the start only: for migrations and the key of the project `default`. With it, the user of `DATABASE_URL` need not own anything and cannot change the journal; without it, that user is the owner',
  },
  statementTimeoutMs: {
    name: 'DAYBOOK_STATEMENT_TIMEOUT',
    schema: waitingTime.prefault('30s'),
    type: 'duration',
    description:
      'Longest time for one statement of a request on a Postgres server. After that the request fails with `UNAVAILABLE` and can be tried again. The embedded database runs each statement to its end',
  },
  longStatementTimeoutMs: {
    name: 'DAYBOOK_LONG_STATEMENT_TIMEOUT',
    schema: waitingTime.prefault('10m'),
    type: 'duration',
    description:
      'The same for projectors, rebuilds and verification. Migrations and index builds have no limit',
  },
  nats: {
    url: {
      name: 'NATS_URL',
      schema: urls('nats', 'tls').optional(),
      type: 'URLs',
      secret: true,
      description:
        'NATS servers with JetStream, separated by commas; without it events travel inside the process and other processes poll the journal',
    },
    stream: {
      replicas: {
        name: 'DAYBOOK_NATS_REPLICAS',
        schema: wholeNumber(1, 5).prefault('1'),
        type: '1 to 5',
        description: 'Copies of the stream in a NATS cluster',
      },
      maxAgeMs: {
        name: 'DAYBOOK_NATS_MAX_AGE',
        schema: duration.prefault('7d'),
        type: 'duration',
        description: 'How long the stream keeps an event. Older ones are read from the journal',
      },
      maxBytes: {
        name: 'DAYBOOK_NATS_MAX_BYTES',
        schema: bytes.prefault('1GiB'),
        type: 'bytes',
        description:
          'Largest size of the stream; beyond it the oldest events are deleted. NATS reserves this size on its disk',
      },
      duplicateWindowMs: {
        name: 'DAYBOOK_NATS_DUPLICATE_WINDOW',
        schema: duration.prefault('2m'),
        type: 'duration',
        description:
          'How long NATS remembers event ids to drop repeats. This only saves work: projections skip repeats by themselves',
      },
    },
  },
  typesense: {
    url: {
      name: 'TYPESENSE_URL',
      schema: url('http', 'https').optional(),
      type: 'URL',
      description: 'Typesense server; without it words are searched in Postgres',
    },
    apiKey: {
      name: 'TYPESENSE_API_KEY',
      schema: z.string().min(1).optional(),
      type: 'secret',
      secret: true,
      description: 'Key of the Typesense server; required with `TYPESENSE_URL`',
    },
    searchTimeMs: {
      name: 'DAYBOOK_TYPESENSE_SEARCH_TIME',
      schema: waitingTime.prefault('2s'),
      type: 'duration',
      description:
        'The longest that one search waits for Typesense in total before Postgres answers it. If Typesense usually answers sooner, a search waits less, down to a quarter of this',
    },
  },
  halfLifeMs: {
    name: 'DAYBOOK_HALF_LIFE',
    schema: duration.prefault('30d'),
    type: 'duration',
    description:
      'How long until a memory that nobody reads or finds weighs half: `decayWeight`, and the weights `decay` and `recency` of a search',
  },
  embedder: {
    name: 'DAYBOOK_EMBEDDER',
    schema: z
      .string()
      .regex(
        /^(minilm(-q8)?|none|(openai|ollama)(\/.+)?|test-hash\/[1-9]\d{0,3}(\/token-bits-1)?)$/u,
        'must be minilm, minilm-q8, openai, ollama, <openai or ollama>/<model>/<dimension>, or none',
      )
      .prefault('minilm'),
    type: 'model or `none`',
    description:
      'What makes vectors: `minilm` (on this machine), `minilm-q8` (the same in whole numbers: faster for questions and long texts), `openai` (text-embedding-3-small), `ollama` (nomic-embed-text), another model of theirs with its dimension (`ollama/bge-m3/1024`), or `none` (search by words only). For tests also `test-hash/64`, which compares words, not meaning',
  },
  providers: {
    openai: {
      url: {
        name: 'OPENAI_BASE_URL',
        schema: url('http', 'https').prefault('https://api.openai.com/v1'),
        type: 'URL',
        description: 'OpenAI’s API, or a server that speaks it, such as vLLM, LM Studio or LiteLLM',
      },
      apiKey: {
        name: 'OPENAI_API_KEY',
        schema: z.string().min(1).optional(),
        type: 'secret',
        description: 'Key for it; not needed by all compatible servers',
      },
      apiKeyFile: {
        name: 'OPENAI_API_KEY_FILE',
        schema: folder.optional(),
        type: 'file',
        description: 'File with that key instead. It is read for each request, so a new key needs no restart',
      },
    },
    ollama: {
      url: {
        name: 'OLLAMA_URL',
        schema: url('http', 'https').prefault('http://127.0.0.1:11434'),
        type: 'URL',
        description: 'Ollama server',
      },
    },
    timeoutMs: {
      name: 'DAYBOOK_EMBEDDER_TIMEOUT',
      schema: waitingTime.prefault('60s'),
      type: 'duration',
      description:
        'How long a request of texts to OpenAI or Ollama may take. A question of a search waits for 5 s at most and is then answered by words',
    },
    price: {
      name: 'DAYBOOK_EMBEDDER_PRICE',
      schema: z
        .string()
        .regex(/^\d{1,6}(\.\d{1,6})?$/u, 'must be a number such as 0.02')
        .transform(Number)
        .optional(),
      type: 'US dollars',
      description:
        'Price of a million tokens, for `daybook_embedding_cost_usd_total`. Default: OpenAI’s list price at OpenAI itself, unknown elsewhere',
    },
  },
  ask: {
    model: {
      name: 'DAYBOOK_ASK_MODEL',
      schema: z
        .string()
        .regex(/^(openai|ollama)\/[\w.:@/-]{1,200}$/u, 'must be openai/<model> or ollama/<model>')
        .optional(),
      type: 'model',
      description:
        'Language model that `ask` answers with: `openai/<model>` or `ollama/<model>`, at the same addresses and with the same key as above. Without it, `ask` returns the packed context only',
    },
    timeoutMs: {
      name: 'DAYBOOK_ASK_TIMEOUT',
      schema: waitingTime.prefault('2m'),
      type: 'duration',
      description: 'How long one step of `ask` may take until its last word',
    },
  },
  keepGenerationMs: {
    name: 'DAYBOOK_KEEP_GENERATION',
    schema: duration.prefault('1d'),
    type: 'duration',
    description:
      'How long a generation stays for a rollback after a rebuild has replaced it. It is kept up to date meanwhile',
  },
  selfCheckMs: {
    name: 'DAYBOOK_SELF_CHECK',
    schema: z
      .union(
        [z.literal('off').transform(() => 0), waitingTime],
        'must be off, or a whole number with a unit: 500ms, 30s, 2m',
      )
      .prefault('5s'),
    type: 'duration or `off`',
    description:
      'How often projectors compare a part of each project with the journal and rewrite what differs. This takes at most about a twentieth of the database’s time, so with many projects each is checked less often',
  },
  indexWorkers: {
    name: 'DAYBOOK_INDEX_WORKERS',
    schema: wholeNumber(0, 64).prefault('0'),
    type: '0 to 64',
    description:
      'Additional cores of a Postgres server that a rebuild may use to build the index of vectors; it always uses one. With 0, the others stay free for searches; a large server with many memories can use more. In a container, Postgres then needs 512 MB of shared memory (`shm_size`)',
  },
  modelDir: {
    name: 'DAYBOOK_MODEL_DIR',
    schema: folder.optional(),
    type: 'folder',
    description: 'Folder with the model as transformers.js reads it, instead of the npm package',
  },
  modelCacheDir: {
    name: 'DAYBOOK_MODEL_CACHE',
    schema: folder
      .optional()
      .transform((path) => path ?? join(envPaths('daybook', { suffix: '' }).cache, 'models')),
    type: 'folder',
    description:
      'Folder for models in the form in which they are loaded, 91 MB each. Default: `daybook/models` in the user’s cache folder, for all data folders',
  },
  subscriptions: {
    perConnection: {
      name: 'DAYBOOK_SUBSCRIPTIONS_PER_CONNECTION',
      schema: wholeNumber(1, 100_000).prefault('100'),
      type: 'number',
      description: 'Subscriptions that may be open on one WebSocket',
    },
    perKey: {
      name: 'DAYBOOK_SUBSCRIPTIONS_PER_KEY',
      schema: wholeNumber(1, 1_000_000).prefault('1000'),
      type: 'number',
      description: 'Subscriptions that may be open with one key, over all connections of one gateway',
    },
  },
  streams: {
    perKey: {
      name: 'DAYBOOK_STREAMS_PER_KEY',
      schema: wholeNumber(1, 1_000_000).prefault('800'),
      type: 'connections',
      description:
        'WebSockets, and connections with a subscription over SSE, that may be open with one key at one gateway. Keep it below `DAYBOOK_MAX_CONNECTIONS`, so that one key cannot take all',
    },
    pingMs: {
      name: 'DAYBOOK_WEBSOCKET_PING',
      schema: waitingTime.prefault('12s'),
      type: 'duration',
      description:
        'How often a WebSocket is pinged. A client that has not answered one ping by the next is cut off',
    },
    bufferBytes: {
      name: 'DAYBOOK_WEBSOCKET_BUFFER',
      schema: bytes.prefault('16MiB'),
      type: 'bytes',
      description:
        'Answers that may wait for the client of one WebSocket. From a sixteenth of that, nothing more is read from the client; beyond it, the connection is cut',
    },
  },
  work: {
    deadlineMs: {
      name: 'DAYBOOK_REQUEST_DEADLINE',
      schema: waitingTime.prefault('30s'),
      type: 'duration',
      description:
        'How long a query or mutation may take until it is answered. Work that it began still runs to its end, and counts for its key until then',
    },
    perKey: {
      name: 'DAYBOOK_REQUESTS_PER_KEY',
      schema: wholeNumber(1, 100_000).prefault('100'),
      type: 'number',
      description:
        'Queries and mutations of one key that a gateway works on at a time; others wait for 5 s and are then refused as `BUSY`',
    },
    costPerSecond: {
      name: 'DAYBOOK_COST_PER_SECOND',
      schema: wholeNumber(1, 999_999_999).prefault('200000'),
      type: 'cost',
      description:
        'Cost of queries (see above) that one key may spend per second at one gateway, in the long run. Beyond that, and what it has saved up, its requests get 429 (`RATE_LIMITED`)',
    },
    costSaved: {
      name: 'DAYBOOK_COST_SAVED',
      schema: wholeNumber(20_100, 999_999_999).prefault('12000000'),
      type: 'cost',
      description: 'Cost that a key can save up while it asks for less, and spend at once',
    },
  },
  mcpToolsets: {
    name: 'DAYBOOK_MCP_TOOLSETS',
    schema: names('core', 'people', 'documents', 'files', 'ops', 'all').prefault('core'),
    type: 'names',
    description:
      'Which tools agents see over MCP, separated by commas: `core`, `people`, `documents`, `files`, `ops`, or `all`. A client may choose others with `/mcp?toolsets=`',
  },
  otlpEndpoint: {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    schema: url('http', 'https').optional(),
    type: 'URL',
    description:
      "OpenTelemetry collector; traces are made and sent only if it is set. The SDK's other `OTEL_*` variables apply too",
  },
  logLevel: {
    name: 'LOG_LEVEL',
    schema: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).prefault('info'),
    type: '`trace` to `fatal`, `silent`',
    description: 'Lowest level of log lines that are written',
  },
} as const satisfies Settings
