import { noMetrics } from '@daybook/runtime/metrics'
import { startProjector } from '../apply/projector.ts'
import type { GenerationApplier } from '../generations/apply-to-generations.ts'
import type { Generation } from '../generations/generations.ts'
import type { Projection } from '../projection.ts'
import { startSelfCheck } from '../self-check/start-self-check.ts'
import type { Verifiable } from '../verify/verifiable.ts'
import type { WriteOptions } from './engine.ts'

/** One generation with the functions that write it and compare it. */
export interface AppliedGeneration {
  readonly projection: Projection
  readonly verifiable: Verifiable
  /**
   * Hears which texts have just got their vectors. An empty list asks it to look at all memories that wait.
   */
  vectorsStored(hashes: readonly Buffer[]): Promise<void>
  /** Whether its self-check also checks the journal, which one projection does for all. Default no. */
  readonly checksJournal?: boolean
  /** Stops what else the engine runs, after everything here. */
  stop?(): Promise<void>
}

/**
 * Keeps one generation up to date with the journal, self-checks it, and writes its vectors as they become
 * ready.
 */
export function applyToGeneration(
  options: WriteOptions,
  generation: Generation,
  { projection, verifiable, vectorsStored, checksJournal, stop }: AppliedGeneration,
): GenerationApplier {
  const { db, bus, signal, logger, workers, metrics = noMetrics, activity, pollMs } = options
  const applied = metrics.counter({
    name: 'daybook_projection_events_total',
    help: 'Events applied by this process, parked ones included',
    labels: ['projection'],
  })
  // Not awaited: texts are embedded even while the engine is unavailable, as other projections need them too.
  const vectors = workers.want(generation.modelId, vectorsStored)
  const projector = startProjector({
    db,
    projection,
    bus,
    signal,
    logger,
    pollMs,
    activity,
    onApplied: (events) => {
      applied.add(events, { projection: projection.name })
      vectors.wake()
    },
  })
  const selfCheck = startSelfCheck({
    db,
    verifiable,
    logger,
    everyMs: options.selfCheckMs ?? 0,
    activity,
    journal: checksJournal ?? false,
  })
  return {
    async stop() {
      await selfCheck.stop()
      await projector.stop()
      await vectors.leave()
      await stop?.()
    },
  }
}
