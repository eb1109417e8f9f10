import type { Embedders } from '@daybook/embeddings/embedders'
import type { JournalWriter } from '@daybook/journal/append/journal-writer'
import type { AccessTracker } from '@daybook/pgvector/read/access'
import type { Database } from '@daybook/postgres/connect'
import type { EngineSlot } from '@daybook/projection/engine/search-engine'
import type { PositionSignal } from '@daybook/projection/positions/position-signal'
import type { Activity } from '@daybook/runtime/activity'
import type { Config } from '@daybook/runtime/config'
import type { Logger } from '@daybook/runtime/logger'
import type { ServiceMetrics } from '@daybook/runtime/metrics'
import type { WithoutTerms } from '@daybook/search/ranking/terms'
import type { HomeOf } from '@daybook/sync/follower/home-client'
import type { Sync } from '@daybook/sync/follower/start-sync'
import type { Bus } from '@daybook/transport/bus'

/** The parts of a gateway. */
export interface GatewayParts {
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
}
