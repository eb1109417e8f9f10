import type { EventMetadata } from '@daybook/memory/events'
import { type Access as MemoryAccess, readAccess } from '@daybook/pgvector/read/access'
import { readParts, readSupersededBy } from '@daybook/pgvector/read/links'
import { type LiveReadModel, liveReadModel } from '@daybook/pgvector/read/live-read-model'
import type { Database } from '@daybook/postgres/connect'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import DataLoader from 'dataloader'
import type { KnownRequest } from './http/request-context.ts'
import { JOURNAL_BYTES, type JournalBudget } from './journal-page.ts'
import type { GatewayParts } from './parts.ts'
import type { JournalNews } from './subscriptions/journal-news.ts'
import type { OpenSubscriptions } from './subscriptions/open-subscriptions.ts'

/** The context of resolvers. They reach the database only through the request's project. */
export interface Context {
  readonly project: ProjectScope
  readonly parts: Omit<GatewayParts, 'db'>
  readonly metadata: EventMetadata
  /**
   * The whole database, for a key that may run Daybook; null for others. Use it only through `requireAdmin`.
   */
  readonly admin: Database | null
  /** Reports new events in journals. */
  readonly news: JournalNews
  /**
   * Begins a subscription for this request.
   * @throws DaybookError TOO_MANY_SUBSCRIPTIONS
   */
  subscribe<T>(generate: (ended: AbortSignal) => AsyncGenerator<T, void>): AsyncIterableIterator<T>
  /** The bytes left for journal pages in this request. */
  readonly journalBudget: JournalBudget
  /** Looked up once per request, so that the whole request reads the same generation. */
  readModel(): Promise<LiveReadModel>
  /** How often each memory was read, by plain id. */
  readonly memoryAccess: DataLoader<string, MemoryAccess | null>
  /** The plain id of the memory that supersedes a memory, by its plain id. */
  readonly supersededBy: DataLoader<string, string | null>
  /** The plain ids of a document's parts in order, by the document's plain id. */
  readonly documentParts: DataLoader<string, readonly string[]>
}

/** What long-lived requests share. */
export interface Following {
  readonly news: JournalNews
  readonly subscriptions: OpenSubscriptions
}

/** Creates the context of a request whose key opens a project. */
export function createContext(
  parts: GatewayParts,
  { access, connection, correlationId, traceparent }: KnownRequest,
  { news, subscriptions }: Following,
): Context {
  const project = projectScope(parts.db, access.projectId)
  let readModel: Promise<LiveReadModel> | undefined
  const loaded = () => (readModel ??= liveReadModel(project.db))
  return {
    project,
    parts,
    admin: access.admin ? parts.db : null,
    metadata: { actor: access.keyName, correlationId, causationId: null, traceparent },
    news,
    journalBudget: { bytes: JOURNAL_BYTES },
    subscribe: (generate) => subscriptions.open({ access, connection }, generate),
    readModel: loaded,
    memoryAccess: new DataLoader(async (ids) => {
      const found = await readAccess(project, ids)
      return ids.map((id) => found.get(id) ?? null)
    }),
    supersededBy: new DataLoader(async (ids) => {
      const found = await readSupersededBy(project, (await loaded()).tables, ids)
      return ids.map((id) => found.get(id) ?? null)
    }),
    documentParts: new DataLoader(async (ids) => {
      const found = await readParts(project, (await loaded()).tables, ids)
      return ids.map((id) => found.get(id) ?? [])
    }),
  }
}
