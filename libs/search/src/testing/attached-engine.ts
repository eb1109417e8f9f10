import type { ReadModelHarness } from '@daybook/pgvector/testing/read-model-harness'
import type { EngineSlot } from '@daybook/projection/engine/search-engine'
import type { Projection } from '@daybook/projection/projection'
import type { EngineName } from '../engine/engine-name.ts'

/** An engine beside Postgres, on the database of a read model's harness. */
export interface AttachedEngine {
  /** How searches reach it. Its timeouts are long, as these suites do not test time. */
  readonly slot: EngineSlot
  readonly projection: Projection
  /** Writes the embedding store's vectors to the memories. */
  fillVectors(): Promise<void>
  stop(): Promise<void>
}

/** An engine that search suites run on. */
export interface EngineKind<Attached extends AttachedEngine = AttachedEngine> {
  readonly name: string
  readonly engine: EngineName
  /** Null for Postgres. */
  readonly attach: ((harness: ReadModelHarness) => Promise<Attached>) | null
}
