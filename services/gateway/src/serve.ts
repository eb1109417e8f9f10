import { type Embedders, wrapEmbedders } from '@daybook/embeddings/embedders'
import { rememberQueries } from '@daybook/embeddings/remember-queries'
import type { JournalWriter } from '@daybook/journal/append/journal-writer'
import { startAccessTracker } from '@daybook/pgvector/read/access'
import { type Database, withTimeout } from '@daybook/postgres/connect'
import type { ProcessParts } from '@daybook/process/process-parts'
import type { PositionSignal } from '@daybook/projection/positions/position-signal'
import type { Activity } from '@daybook/runtime/activity'
import type { Config } from '@daybook/runtime/config'
import type { ServiceMetrics } from '@daybook/runtime/metrics'
import type { WithoutTerms } from '@daybook/search/ranking/terms'
import type { HomeOf } from '@daybook/sync/follower/home-client'
import type { Sync } from '@daybook/sync/follower/start-sync'
import type { Bus } from '@daybook/transport/bus'
import { noteExpiries } from './expiry/note-expiries.ts'
import { startExpiry } from './expiry/start-expiry.ts'
import { openSearchEngines } from './open-search-engines.ts'
import { type Gateway, startGateway } from './start.ts'

/** What the gateway shares with other services in the same process. */
export interface SharedParts {
  readonly db: Database
  readonly bus: Bus
  /** From `openWriter`. */
  readonly writer: JournalWriter
  /** From there, too. */
  readonly homeOf: HomeOf
  /** What follows projects of other homes, if this process does that. */
  readonly sync?: Pick<Sync, 'look'> | undefined
  readonly signal: PositionSignal
  readonly embedders: Embedders
  readonly metrics: ServiceMetrics
  readonly activity?: Activity
  /** For evaluations: the terms that the ranking leaves out now. Default none. */
  readonly without?: WithoutTerms | undefined
}

/** Starts the gateway with its settings, and the expiry of memories. */
export async function serveGateway(
  config: Config,
  shared: SharedParts,
  { logger, shutdown }: Pick<ProcessParts, 'logger' | 'shutdown'>,
): Promise<Gateway> {
  const db = withTimeout(shared.db, config.statementTimeoutMs)
  const { activity } = shared
  const expiry = startExpiry({ db, writer: shared.writer, logger, activity })
  shutdown.add(expiry.stop, { part: 'the expiry of memories' })
  const writer = noteExpiries(shared.writer, expiry.note)
  const access = startAccessTracker(db, logger)
  shutdown.add(access.stop, { part: 'the uses of memories' })
  const engines = openSearchEngines(config, { logger, shutdown })
  const embedders = wrapEmbedders(shared.embedders, rememberQueries)
  const parts = { ...shared, db, embedders, engines, writer, access, logger, config }
  const gateway = await startGateway(parts, config)
  shutdown.add(gateway.stop, { part: 'the gateway' })
  return gateway
}
