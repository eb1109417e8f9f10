import { DaybookError } from '@daybook/memory/errors'
import { type Engine, startEngine } from '@daybook/projection/engine/engine'
import { createPositionSignal } from '@daybook/projection/positions/positions'
import { openBus } from './open-bus.ts'
import { openDatabaseServer } from './open-database.ts'
import { openEmbedders, openQueueWorkers } from './open-embedders.ts'
import { openMetrics } from './open-metrics.ts'
import { runProcess, serveProbes } from './run-process.ts'

/**
 * Runs a process that writes one engine's projection. Any number of them may run.
 * @param defaultPort port of its probes and metrics
 */
export function runProjector(engine: Engine, defaultPort: number): Promise<void> {
  const name = `projector-${engine.name}`
  return runProcess({
    name,
    title: `The ${engine.title} projector`,
    defaultPort,
    async start(config, parts) {
      const opened = engine.open(config)
      if (opened === null)
        throw new DaybookError(
          'CONFIGURATION',
          `${engine.setting} is not set: say where ${engine.title} is, and with which key (README, Settings).`,
        )
      parts.shutdown.add(opened.close)
      const embedders = openEmbedders(config, parts)
      const db = await openDatabaseServer(config, parts)
      const bus = await openBus(config, parts)
      await embedders.ready()
      const metrics = openMetrics(name, db, config, parts)
      embedders.countIn?.(metrics)
      const projector = await startEngine(opened, {
        db,
        bus,
        signal: createPositionSignal(),
        logger: parts.logger,
        model: embedders.preferred,
        workers: openQueueWorkers({ db, embedders, metrics, activity: parts.activity }, parts),
        metrics,
        selfCheckMs: config.selfCheckMs,
        selfCheckActivity: parts.activity,
      })
      parts.shutdown.add(projector.stop, { part: 'the projector' })
      const url = await serveProbes(config, { db, bus, metrics }, parts)
      parts.progress(`The ${engine.title} projector is at work; its probes and metrics are at ${url}`)
    },
  })
}
