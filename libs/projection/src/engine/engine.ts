import type { QueueWorkers } from '@daybook/embeddings/queue-workers'
import type { Database } from '@daybook/postgres/connect'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { Activity } from '@daybook/runtime/activity'
import type { Config } from '@daybook/runtime/config'
import type { Logger } from '@daybook/runtime/logger'
import type { Metrics } from '@daybook/runtime/metrics'
import type { Bus } from '@daybook/transport/bus'
import type { Generation } from '../generations/generations.ts'
import type { GenerationLayout } from '../generations/make-generation.ts'
import type { PositionSignal } from '../positions/position-signal.ts'
import type { RebuildableProjection } from '../rebuild/rebuildable-projection.ts'
import type { ProjectionStatus } from '../status/project-status.ts'

/** What a projection is written with. */
export interface WriteOptions {
  readonly db: Database
  readonly bus: Bus
  readonly signal: PositionSignal
  readonly logger: Logger
  /** Where they have no embedder for a generation's model, words are written, and vectors that others make are taken over. */
  readonly workers: QueueWorkers
  readonly metrics?: Pick<Metrics, 'applied'> | undefined
  /** Milliseconds between looks at the journal, and at what waits for vectors. Default: what each loop is made for. */
  readonly pollMs?: number | undefined
  /** Milliseconds between looks at whether a project is as the journal says. Default 0: none are made. */
  readonly selfCheckMs?: number | undefined
  readonly activity?: Activity | undefined
}

/**
 * What keeps one projection: its tables in Postgres, or another server. All that differs between engines is behind this, so that a
 * new one is a package of its own and a line in `libs/engines/registry`.
 */
export interface Engine {
  /** Its projection's name, in small letters: `typesense`. */
  readonly name: string
  /** As people write it: `Typesense`. */
  readonly title: string
  /** The setting that says where it is: `TYPESENSE_URL`. Null: it is part of every Daybook. */
  readonly setting: string | null
  /** What its generations are made of. Those of another version are made anew. */
  readonly layout: GenerationLayout
  isConfigured(config: Config): boolean
  /** Null where it is not configured. It need not answer. */
  open(config: Config): OpenEngine | null
  /**
   * Looks at what is outside of Postgres, in some seconds at most, and changes nothing. Absent where there is nothing.
   * @param live the live generation
   */
  inspect?(config: Config, live: Generation): Promise<EngineReport>
  /**
   * How far a generation has come with a project's journal, as far as Postgres knows.
   * @param reachable whether the engine answers, as far as the caller knows. Default yes
   */
  status(scope: ProjectScope, generation: Generation, reachable?: boolean): Promise<ProjectionStatus>
}

/** An engine that is configured, as those see it who write its projection. */
export interface OpenEngine extends Pick<Engine, 'name' | 'layout'> {
  /** Its projection as projectors, rebuilds and verifications work on it. */
  projection(options: WriteOptions): RebuildableProjection
  /** Closes its connections. */
  close(): void
}

/** What a look at an engine found. */
export interface EngineReport {
  /** Why it cannot be used, in words; null where it can. */
  readonly problem: string | null
  /** Null where it is not known. */
  readonly version: string | null
  readonly status: 'OK' | 'WARNING' | 'FAILED'
  /** What was found, in a sentence for operators. */
  readonly message: string
  /** What to do about it; null where there is nothing to do. */
  readonly advice: string | null
}
