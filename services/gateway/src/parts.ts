import type { Embedders } from '@daybook/embeddings/embedders'
import type { JournalWriter } from '@daybook/journal/append/journal-writer'
import type { AccessTracker } from '@daybook/pgvector/read/access'
import type { Database } from '@daybook/postgres/connect'
import type { PositionSignal } from '@daybook/projection/positions/position-signal'
import type { Activity } from '@daybook/runtime/activity'
import type { Config } from '@daybook/runtime/config'
import type { Logger } from '@daybook/runtime/logger'
import type { ServiceMetrics } from '@daybook/runtime/metrics'
import type { TypesenseSearch } from '@daybook/search/engine/typesense-search'
import type { Bus } from '@daybook/transport/bus'

/** What the gateway is assembled from. */
export interface GatewayParts {
  readonly db: Database
  readonly writer: JournalWriter
  readonly bus: Bus
  readonly signal: PositionSignal
  /** Where there is none for the live generation's model, searches go by words only. */
  readonly embedders: Embedders
  /** Null: not configured, searches run on Postgres. */
  readonly typesense: TypesenseSearch | null
  readonly access: AccessTracker
  readonly logger: Logger
  /** What the parts were opened with, for those who look whether all is well. It holds secrets: nothing of it goes out as it is. */
  readonly config: Pick<
    Config,
    | 'dataDir'
    | 'databaseUrl'
    | 'httpLimits'
    | 'graphiql'
    | 'nats'
    | 'typesense'
    | 'embedder'
    | 'modelDir'
    | 'keepGenerationMs'
    | 'subscriptions'
    | 'work'
    | 'selfCheckMs'
  >
  /** Served at `/metrics`; absent: there is no such page. */
  readonly metrics?: ServiceMetrics
  /** Is touched by each request. */
  readonly activity?: Activity
}
