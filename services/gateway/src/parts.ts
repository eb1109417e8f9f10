import type { Embedders } from '@daybook/embeddings/embedders'
import type { JournalWriter } from '@daybook/journal/append/journal-writer'
import type { AccessTracker } from '@daybook/pgvector/read/access'
import type { Database } from '@daybook/postgres/connect'
import type { PositionSignal } from '@daybook/projection/positions/position-signal'
import type { Activity } from '@daybook/runtime/activity'
import type { Config } from '@daybook/runtime/config'
import type { Logger } from '@daybook/runtime/logger'
import type { ServiceMetrics } from '@daybook/runtime/metrics'
import type { EngineSlot } from '@daybook/search/engine/search-engine'
import type { Bus } from '@daybook/transport/bus'

/** What the gateway is assembled from. */
export interface GatewayParts {
  readonly db: Database
  readonly writer: JournalWriter
  readonly bus: Bus
  readonly signal: PositionSignal
  /** Where there is none for the live generation's model, searches go by words only. */
  readonly embedders: Embedders
  /** What searches may ask for beside Postgres. */
  readonly engines: readonly EngineSlot[]
  readonly access: AccessTracker
  readonly logger: Logger
  /** What the parts were opened with, for those who look whether all is well. It holds secrets: nothing of it goes out as it is. */
  readonly config: Config
  /** Served at `/metrics`; absent: there is no such page. */
  readonly metrics?: ServiceMetrics
  /** Is touched by each request. */
  readonly activity?: Activity
}
