import { noMetrics } from '@daybook/runtime/metrics'
import { startProjector } from '../apply/projector.ts'
import type { GenerationApplier } from '../generations/apply-to-generations.ts'
import type { Generation } from '../generations/generations.ts'
import type { Projection } from '../projection.ts'
import { startSelfCheck } from '../self-check/start-self-check.ts'
import type { Verifiable } from '../verify/verifiable.ts'
import type { WriteOptions } from './engine.ts'

/** One generation, as it is written and compared. */
export interface AppliedGeneration {
  readonly projection: Projection
  readonly verifiable: Verifiable
  /** Hears which texts have just got their vectors; of none, that it shall look at all that wait. */
  vectorsStored(hashes: readonly Buffer[]): Promise<void>
  /** Whether its self-check looks at the journal too, which one projection does for all. Default no. */
  readonly checksJournal?: boolean
  /** Ends what runs besides, after everything else. */
  stop?(): Promise<void>
}

/** Keeps one generation up with the journal, compares it with the journal, and gives it its vectors as they become ready. */
export function applyToGeneration(
  options: WriteOptions,
  generation: Generation,
  { projection, verifiable, vectorsStored, checksJournal, stop }: AppliedGeneration,
): GenerationApplier {
  const { db, bus, signal, logger, workers, metrics = noMetrics, activity, pollMs } = options
  // Not waited for: while the engine is unavailable, texts are embedded all the same, for the other projections too.
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
      metrics.applied(projection.name, events)
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
