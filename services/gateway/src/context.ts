import type { Embedders } from '@daybook/embeddings/embedders'
import type { AppendMetadata } from '@daybook/journal/append/append-request'
import type { JournalWriter } from '@daybook/journal/append/journal-writer'
import { NotFoundError, ValidationError } from '@daybook/memory/errors'
import type { Memory } from '@daybook/memory/state'
import { type Trust, USUAL_TRUST } from '@daybook/memory/trust'
import { type AccessTracker, type Access as MemoryAccess, readAccess } from '@daybook/pgvector/read/access'
import { readParts, readSupersededBy } from '@daybook/pgvector/read/filter'
import { type LiveReadModel, liveReadModel } from '@daybook/pgvector/read/live-read-model'
import { readSameText } from '@daybook/pgvector/read/read-memories'
import type { Access } from '@daybook/postgres/access/api-keys'
import { type ProjectEntry, readProjects } from '@daybook/postgres/access/projects'
import { listQuarantines, type Quarantine, readTrust } from '@daybook/postgres/access/quarantines'
import type { Database } from '@daybook/postgres/connect'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import type { EngineSlot } from '@daybook/projection/engine/search-engine'
import type { PositionSignal } from '@daybook/projection/positions/positions'
import type { Config } from '@daybook/runtime/config'
import type { TrustedNames } from '@daybook/runtime/http/trusted-names'
import type { Logger } from '@daybook/runtime/logger'
import { type Activity } from '@daybook/runtime/loop'
import type { ServiceMetrics } from '@daybook/runtime/metrics'
import type { TokenBitsCache } from '@daybook/search/late-interaction/token-bits-cache'
import { type Neighbours, readNeighbours } from '@daybook/search/neighbours/read-neighbours'
import type { WithoutTerms } from '@daybook/search/ranking/ablation'
import type { HomeOf } from '@daybook/sync/follower/home-client'
import { createSharedCheck, type EventPlace } from '@daybook/sync/follower/is-shared'
import type { Sync } from '@daybook/sync/follower/start-sync'
import type { Bus } from '@daybook/transport/bus'
import DataLoader from 'dataloader'
import type { Authenticate } from './authenticate.ts'
import type { AnswerConsole } from './console/serve-console.ts'
import type { KeyCodes } from './http/failure.ts'
import type { GraphiQLPage } from './http/graphiql.ts'
import type { KeyBudget, KeyStreams } from './http/key-budget.ts'
import type { OAuth } from './http/oauth.ts'
import type { KnownRequest } from './http/request-context.ts'
import { JOURNAL_BYTES, type JournalBudget } from './journal-page.ts'
import type { JournalNews } from './subscriptions/journal-news.ts'
import type { OpenSubscriptions } from './subscriptions/open-subscriptions.ts'
import type { LimitChecks, QuarantineChecks } from './write-checks.ts'

/** The context of resolvers. They reach the database only through the request's project. */
export interface Context {
  /**
   * The request's project. If the key may use several and the request does not say which, reading any of its
   * properties throws a ValidationError.
   */
  readonly project: ProjectScope
  /** What the request's key may do. */
  readonly access: Access
  /**
   * The whole database, only to look up and change projects and keys within what `access` allows
   * (`schema/projects-of-key.ts`).
   */
  readonly directory: Database
  readonly parts: Omit<GatewayParts, 'db'>
  readonly metadata: AppendMetadata
  /**
   * The whole database, for a key that may run Daybook; null for others. Use it only through `requireAdmin`.
   */
  readonly admin: Database | null
  /**
   * Begins a subscription for this request.
   * @throws DaybookError TOO_MANY_SUBSCRIPTIONS
   */
  subscribe<T>(generate: (ended: AbortSignal) => AsyncGenerator<T, void>): AsyncIterableIterator<T>
  /** The bytes left for journal pages in this request. */
  readonly journalBudget: JournalBudget
  /** Looked up once per request, so that the whole request reads the same generation. */
  readModel(): Promise<LiveReadModel>
  /** Whether the newest version of a memory is at the project's home; where this Daybook is the home, all are. */
  isShared(memory: EventPlace): Promise<boolean>
  /** The project as lists show it. */
  projectEntry(): Promise<ProjectEntry>
  /**
   * The same request in another project, whose rows it reads by the project's own row security and loaders. Call it only
   * for a project that `access` may use.
   */
  inProject(projectId: string): Context
  /**
   * The contexts in which what stands below a hit is resolved, where a search looked at several projects
   * (`schema/resolve-in-project.ts`).
   */
  readonly ofHits: Map<object, Context>
  /** How often each memory was read, by plain id. */
  readonly memoryAccess: DataLoader<string, MemoryAccess | null>
  /** How far a key is trusted now, by its id; as usual if it is not known here. */
  readonly keyTrust: DataLoader<string, Trust>
  /** The quarantines that last and concern the request's project. Looked up once per request. */
  lastingQuarantines(): Promise<readonly Quarantine[]>
  /** The plain id of the memory that supersedes a memory, by its plain id. */
  readonly supersededBy: DataLoader<string, string | null>
  /** The plain ids of other memories that say just the same as a memory. */
  readonly sameText: DataLoader<Memory, readonly string[]>
  /** The memories around a memory, by its plain id. */
  readonly neighbours: DataLoader<string, Neighbours>
  /** The plain ids of a document's parts in order, by the document's plain id. */
  readonly documentParts: DataLoader<string, readonly string[]>
}

/** Creates the context of a request whose key opens a project. */
export function createContext(
  parts: GatewayParts,
  request: KnownRequest,
  journalBudget: JournalBudget = { bytes: JOURNAL_BYTES },
): Context {
  const { access, connection, correlationId, traceparent, claims } = request
  const project = requestedProject(parts.db, access)
  let readModel: Promise<LiveReadModel> | undefined
  let lasting: Promise<readonly Quarantine[]> | undefined
  let entry: Promise<ProjectEntry> | undefined
  const load = async () => {
    const live = await liveReadModel(project.db)
    parts.liveModel.modelId = live.generation.modelId
    return live
  }
  const loaded = () => (readModel ??= load())
  const others = new Map<string, Context>()
  return {
    project,
    access,
    directory: parts.db,
    parts,
    admin: access.admin ? parts.db : null,
    metadata: {
      actor: access.keyName,
      correlationId,
      causationId: null,
      traceparent,
      writer: { ...claims, key: access.keyId },
    },
    journalBudget,
    subscribe: (generate) => parts.subscriptions.open({ access, connection }, generate),
    readModel: loaded,
    isShared: createSharedCheck(project),
    projectEntry: () => (entry ??= readEntry(project)),
    inProject(projectId) {
      const other =
        others.get(projectId) ??
        createContext(parts, { ...request, access: { ...access, projectId } }, journalBudget)
      others.set(projectId, other)
      return other
    },
    ofHits: new Map(),
    memoryAccess: new DataLoader(async (ids) => {
      const found = await readAccess(project, ids)
      return ids.map((id) => found.get(id) ?? null)
    }),
    keyTrust: new DataLoader(async (keys) => {
      const found = await readTrust(project.db, keys)
      return keys.map((key) => found.get(key) ?? USUAL_TRUST)
    }),
    lastingQuarantines: () => (lasting ??= listQuarantines(project.db, null)),
    supersededBy: new DataLoader(async (ids) => {
      const found = await readSupersededBy(project, (await loaded()).tables, ids)
      return ids.map((id) => found.get(id) ?? null)
    }),
    sameText: new DataLoader(async (memories) => {
      const found = await readSameText(project, (await loaded()).tables, memories)
      return memories.map(({ state }) => found.get(state.id) ?? [])
    }),
    neighbours: new DataLoader(async (ids) => {
      const found = await readNeighbours(project, await loaded(), ids)
      return ids.map((id) => found.get(id) ?? { before: [], after: [] })
    }),
    documentParts: new DataLoader(async (ids) => {
      const found = await readParts(project, (await loaded()).tables, ids)
      return ids.map((id) => found.get(id) ?? [])
    }),
  }
}

async function readEntry({ db, projectId }: ProjectScope): Promise<ProjectEntry> {
  const [found] = await readProjects(db, [projectId])
  if (found === undefined) throw new NotFoundError(`The project "${projectId}"`, 'Daybook')
  return found
}

function requestedProject(db: Database, { projectId }: Access): ProjectScope {
  if (projectId !== null) return projectScope(db, projectId)
  // Not a getter of the context, because Yoga copies that.
  return {
    get projectId() {
      return noProject()
    },
    get db() {
      return noProject()
    },
  }
}

/** @throws ValidationError */
function noProject(): never {
  throw new ValidationError(
    'X-Daybook-Project',
    'is missing: this key may use several projects, so say in this header which one you mean, by its name or id (the CLI: --project). The query { projects { name } } lists them',
  )
}

/** What a gateway is given. */
export interface GivenParts {
  readonly db: Database
  readonly writer: JournalWriter
  readonly bus: Bus
  readonly signal: PositionSignal
  /** Without an embedder for the live generation's model, searches go by words only. */
  readonly embedders: Embedders
  /** The engines beside Postgres that searches may name. */
  readonly engines: readonly EngineSlot[]
  readonly access: AccessTracker
  readonly logger: Logger
  /** The settings the parts were opened with, for checks. It holds secrets: never send it to a client. */
  readonly config: Config
  /** Served at `/metrics`. A part declares its metrics where it counts them. */
  readonly metrics: ServiceMetrics
  /** What follows projects of other homes in this process; absent where another process does. */
  readonly sync?: Pick<Sync, 'look'> | undefined
  /** A client of a project's home elsewhere. */
  readonly homeOf: HomeOf
  /** Each request touches it. */
  readonly activity?: Activity
  /** For tests: the longest wait of a read for its `atLeast`, in milliseconds. Default 5 s. */
  readonly waitMs?: () => number
  /** For evaluations: the terms that the ranking leaves out now. Default none. */
  readonly without?: WithoutTerms | undefined
  /** Told when a memory that was just written expires (RFC 3339). */
  readonly noteExpiry?: (expiresAt: string) => void
}

/** The parts of a gateway: those that it is given, and those that it makes, which its requests share. */
export interface GatewayParts extends GivenParts {
  readonly authenticate: Authenticate
  /** Null: no access tokens are taken. */
  readonly oauth: OAuth | null
  /** Which `Host` and `Origin` may ask. */
  readonly names: TrustedNames
  readonly budget: KeyBudget
  readonly streams: KeyStreams
  readonly limits: LimitChecks
  readonly quarantines: QuarantineChecks
  /** What searches of this process have read lately. */
  readonly tokenBits: TokenBitsCache
  /** The model of the generation that requests of this process read last; null before the first. */
  readonly liveModel: { modelId: string | null }
  /** Reports new events in journals. */
  readonly news: JournalNews
  readonly subscriptions: OpenSubscriptions
  /** Null if it is switched off. */
  readonly graphiql: GraphiQLPage | null
  readonly codes: KeyCodes
  /** Null if it is switched off, or was not built. */
  readonly console: AnswerConsole | null
}
