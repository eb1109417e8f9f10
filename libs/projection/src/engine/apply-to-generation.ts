import type { ComingText } from '@daybook/embeddings/early-embeddings'
import { contentHash } from '@daybook/memory/content'
import type { LinkedEvent } from '@daybook/memory/events'
import { embeddedTextOf } from '@daybook/memory/state'
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
  /**
   * Whether new memories' texts are embedded while their rows are written. One projection does it for all, so
   * that no text is embedded by two processes. Default no.
   */
  readonly embedsEarly?: boolean
  /** Whether its self-check also checks the journal, which one projection does for all. Default no. */
  readonly checksJournal?: boolean
  /** Stops what else the engine runs, after everything here. */
  stop?(): Promise<void>
}

/** The texts of new memories. Other events may leave a text as it was, and it has its vector then. */
const comingTexts = (projectId: string, events: readonly LinkedEvent[]): ComingText[] =>
  events
    .filter(({ version }) => version === 1)
    .map(({ data }) => {
      const text = embeddedTextOf(data.state)
      return { projectId, text, hash: contentHash(text) }
    })

/**
 * Keeps one generation up to date with the journal, self-checks it, and writes its vectors as they become
 * ready.
 */
export function applyToGeneration(
  options: WriteOptions,
  generation: Generation,
  { projection, verifiable, vectorsStored, embedsEarly = false, checksJournal, stop }: AppliedGeneration,
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
    onComing: (projectId, events) => {
      if (embedsEarly) vectors.soon(comingTexts(projectId, events))
    },
    onApplied: (events) => {
      applied.add(events, { projection: projection.name })
      vectors.wake()
      options.selfCheckActivity?.touch()
    },
  })
  const selfCheck = startSelfCheck({
    db,
    verifiable,
    logger,
    everyMs: options.selfCheckMs ?? 0,
    activity: options.selfCheckActivity ?? activity,
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
