import type { EventMetadata } from '@daybook/memory/events'
import { type Access as MemoryAccess, readAccess } from '@daybook/pgvector/read/access'
import { type LiveReadModel, liveReadModel } from '@daybook/pgvector/read/live-read-model'
import type { Database } from '@daybook/postgres/connect'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import DataLoader from 'dataloader'
import type { KnownRequest } from './http/request-context.ts'
import { JOURNAL_BYTES, type JournalBudget } from './journal-page.ts'
import type { GatewayParts } from './parts.ts'
import type { JournalNews } from './subscriptions/journal-news.ts'
import type { OpenSubscriptions } from './subscriptions/open-subscriptions.ts'

/** What resolvers work with. It holds no database handle: everything goes through the request's project. */
export interface Context {
  readonly project: ProjectScope
  readonly parts: Omit<GatewayParts, 'db'>
  readonly metadata: EventMetadata
  /** All of Daybook, for a key that may run it; null for others. Through `requireAdmin` (`schema/require-admin.ts`) only. */
  readonly admin: Database | null
  /** Tells of new events in journals. */
  readonly news: JournalNews
  /**
   * Begins a subscription of this request.
   * @throws DaybookError TOO_MANY_SUBSCRIPTIONS
   */
  subscribe<T>(generate: (ended: AbortSignal) => AsyncGenerator<T, void>): AsyncIterableIterator<T>
  /** What journal pages of this request may still hold. */
  readonly journalBudget: JournalBudget
  /** Looked up once a request, so that all of it reads the same generation. */
  readModel(): Promise<LiveReadModel>
  /** How often memories were read, by plain id. */
  readonly memoryAccess: DataLoader<string, MemoryAccess | null>
}

/** What requests that go on share. */
export interface Following {
  readonly news: JournalNews
  readonly subscriptions: OpenSubscriptions
}

/** The context of a request whose key has been found to open a project. */
export function createContext(
  parts: GatewayParts,
  { access, connection, correlationId, traceparent }: KnownRequest,
  { news, subscriptions }: Following,
): Context {
  const project = projectScope(parts.db, access.projectId)
  let readModel: Promise<LiveReadModel> | undefined
  return {
    project,
    parts,
    admin: access.admin ? parts.db : null,
    metadata: { actor: access.keyName, correlationId, causationId: null, traceparent },
    news,
    journalBudget: { bytes: JOURNAL_BYTES },
    subscribe: (generate) => subscriptions.open({ access, connection }, generate),
    readModel: () => (readModel ??= liveReadModel(project.db)),
    memoryAccess: new DataLoader(async (ids) => {
      const found = await readAccess(project, ids)
      return ids.map((id) => found.get(id) ?? null)
    }),
  }
}
