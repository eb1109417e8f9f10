import type { EmbeddingModel } from '@daybook/embeddings/embedders'
import type { QueueWorkers } from '@daybook/embeddings/queue-workers'
import type { Database } from '@daybook/postgres/connect'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { Config } from '@daybook/runtime/config'
import type { Logger } from '@daybook/runtime/logger'
import { type Activity } from '@daybook/runtime/loop'
import type { Metrics } from '@daybook/runtime/metrics'
import type { Bus } from '@daybook/transport/bus'
import { applyToGenerations, type GenerationApplier } from '../generations/apply-to-generations.ts'
import type { Generation } from '../generations/generations.ts'
import { ensureLiveGeneration, type GenerationLayout } from '../generations/swap-generations.ts'
import type { PositionSignal } from '../positions/positions.ts'
import type { RebuildableProjection } from '../rebuild/rebuildable-projection.ts'
import type { ProjectionStatus } from '../status/project-status.ts'

/** What an engine needs to write its projection. */
export interface WriteOptions {
  readonly db: Database
  readonly bus: Bus
  readonly signal: PositionSignal
  readonly logger: Logger
  /**
   * Embeds texts. Without an embedder for a generation's model, only words are written, and vectors made
   * elsewhere are taken over.
   */
  readonly workers: QueueWorkers
  readonly metrics?: Metrics | undefined
  /**
   * Milliseconds between looks at the journal and at memories that wait for vectors. Default: each loop's
   * own.
   */
  readonly pollMs?: number | undefined
  /** Milliseconds between self-checks of a project. Default 0: no self-checks. */
  readonly selfCheckMs?: number | undefined
  readonly activity?: Activity | undefined
  /** When only the self-check rests. It is told of what is applied here. Default: `activity`. */
  readonly selfCheckActivity?: Activity | undefined
}

/**
 * The database that keeps one projection: tables in Postgres, or another server. Everything that differs
 * between engines is behind this interface, so a new engine is a package of its own and a line in
 * `libs/engines/registry`.
 */
export interface Engine {
  /** The projection's name in lower case: `typesense`. */
  readonly name: string
  /** The name as people write it: `Typesense`. */
  readonly title: string
  /** The setting that says where the engine is: `TYPESENSE_URL`. Null if it is part of every Daybook. */
  readonly setting: string | null
  /** How its generations are laid out. A generation with another layout version is rebuilt. */
  readonly layout: GenerationLayout
  isConfigured(config: Config): boolean
  /** Null if it is not configured. The engine need not be reachable. */
  open(config: Config): OpenEngine | null
  /**
   * Checks the part outside Postgres within a few seconds, and changes nothing. Absent if there is no such
   * part.
   * @param live the live generation
   */
  inspect?(config: Config, live: Generation): Promise<EngineReport>
  /**
   * How far a generation has come with a project's journal, as far as Postgres knows.
   * @param reachable whether the engine answers, as far as the caller knows. Default yes
   */
  status(scope: ProjectScope, generation: Generation, reachable?: boolean): Promise<ProjectionStatus>
}

/** A configured engine, as needed to write its projection. */
export interface OpenEngine extends Pick<Engine, 'name' | 'layout'> {
  /** The projection for projectors, rebuilds and verifications. */
  projection(options: WriteOptions): RebuildableProjection
  /** Closes its connections. */
  close(): void
}

/** What `inspect` found. */
export interface EngineReport {
  /** Why the engine cannot be used, in words; null if it can. */
  readonly problem: string | null
  /** The server's version; null if unknown. */
  readonly version: string | null
  readonly status: 'OK' | 'WARNING' | 'FAILED'
  /** The finding, in one sentence for operators. */
  readonly message: string
  /** What to do about it; null if nothing. */
  readonly advice: string | null
}

/** How to start an engine. */
interface StartEngineOptions extends WriteOptions {
  /** The embedding model of the first generation. */
  readonly model: EmbeddingModel
  /** Milliseconds between looks at the list of generations. Default `GENERATIONS_SEEN_MS`. */
  readonly seenMs?: number | undefined
}

/**
 * Writes every generation of an engine's projection:
 *
 *   journal ──▶ projector ──words──▶ generation      texts ──▶ embedding store's queue
 *                                        ▲                            │
 *                                        └──────vectors── worker ◀────┘
 *
 * The engine may be unavailable, at the start and later. It is retried while everything else goes on.
 */
export async function startEngine(
  engine: OpenEngine,
  options: StartEngineOptions,
): Promise<GenerationApplier> {
  const { db, logger, activity, model, seenMs } = options
  await ensureLiveGeneration(db, engine.layout, model)
  const projection = engine.projection(options)
  return applyToGenerations({
    db,
    projection: engine.name,
    logger,
    layoutVersion: engine.layout.layoutVersion,
    activity,
    pollMs: seenMs,
    start: (generation) => projection.apply(generation),
  })
}
