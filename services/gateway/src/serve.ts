import { type Embedders, wrapEmbedders } from '@daybook/embeddings/embedders'
import { rememberQueries } from '@daybook/embeddings/remember-queries'
import { createJournalWriter } from '@daybook/journal/append/journal-writer'
import { startAccessTracker } from '@daybook/pgvector/read/access'
import { type Database, withTimeout } from '@daybook/postgres/connect'
import type { ProcessParts } from '@daybook/process/process-parts'
import type { PositionSignal } from '@daybook/projection/positions/position-signal'
import type { Activity } from '@daybook/runtime/activity'
import type { Config } from '@daybook/runtime/config'
import type { ServiceMetrics } from '@daybook/runtime/metrics'
import type { WithoutTerms } from '@daybook/search/ranking/terms'
import type { Bus } from '@daybook/transport/bus'
import { openRelay } from './open-relay.ts'
import { openSearchEngines } from './open-search-engines.ts'
import { type Gateway, startGateway } from './start.ts'

/** What the gateway shares with other services in the same process. */
export interface SharedParts {
  readonly db: Database
  readonly bus: Bus
  readonly signal: PositionSignal
  readonly embedders: Embedders
  readonly metrics: ServiceMetrics
  readonly activity?: Activity
  /** For evaluations: the terms that the ranking leaves out now. Default none. */
  readonly without?: WithoutTerms | undefined
}

/**
 * Starts the gateway with its settings, and the path from the journal to the bus:
 *
 *   requests ▶ journal writer ▶ relay ▶ bus
 */
export async function serveGateway(
  config: Config,
  shared: SharedParts,
  { logger, shutdown }: Pick<ProcessParts, 'logger' | 'shutdown'>,
): Promise<Gateway> {
  const { bus, metrics } = shared
  const db = withTimeout(shared.db, config.statementTimeoutMs)
  const committed = openRelay(config, { db, bus, metrics, logger, shutdown })
  const writer = createJournalWriter(committed, metrics, logger)
  const access = startAccessTracker(db, logger)
  shutdown.add(access.stop, { part: 'the uses of memories' })
  const engines = openSearchEngines(config, { logger, shutdown })
  const embedders = wrapEmbedders(shared.embedders, rememberQueries)
  const parts = { ...shared, db, embedders, engines, writer, access, logger, config }
  const gateway = await startGateway(parts, config)
  shutdown.add(gateway.stop, { part: 'the gateway' })
  return gateway
}
