import { openEngines } from '@daybook/engines/engines'
import { ensureDefaultKey } from '@daybook/gateway/default-key'
import { serveGateway } from '@daybook/gateway/serve'
import { openBus } from '@daybook/process/open-bus'
import { openDatabaseServerAfter, openEmbeddedDatabase } from '@daybook/process/open-database'
import { openEmbedders } from '@daybook/process/open-embedders'
import { openMetrics } from '@daybook/process/open-metrics'
import { openQueueWorkers } from '@daybook/process/open-queue-workers'
import type { ProcessParts } from '@daybook/process/process-parts'
import { startEngine } from '@daybook/projection/engine/start-engine'
import { createPositionSignal } from '@daybook/projection/positions/position-signal'
import { startReindex } from '@daybook/reindex/start'
import { ALWAYS_ACTIVE, createActivity } from '@daybook/runtime/activity'
import type { Config } from '@daybook/runtime/config'
import { checkAddress } from '@daybook/runtime/listen'
import { tightenFolder } from '@daybook/runtime/private-folder'
import { lockDataFolder } from './data-folder.ts'

/** A daemon that is ready. */
export interface Daemon {
  readonly url: string
  readonly apiKey: string
  /** Where a person finds the key. */
  readonly apiKeyPlace: string
}

/**
 * Everything of Daybook in one process, on embedded parts where no server is configured:
 *
 *   data folder's lock ▶ database ▶ migrations ▶ default key ▶ model ▶ bus ▶ projectors ▶ reindex ▶ gateway
 *
 * @throws DaybookError CONFIGURATION, LOCKED, UNAVAILABLE, written for the person who started it
 */
export async function startDaemon(config: Config, given: ProcessParts): Promise<Daemon> {
  const { logger, progress, shutdown } = given
  // Nobody else is on an embedded database.
  const activity = config.databaseUrl === undefined ? createActivity() : ALWAYS_ACTIVE
  const parts = { ...given, activity }
  const lock = await lockDataFolder(config.dataDir, progress)
  shutdown.add(lock.release, { part: 'the lock of the data folder', begin: lock.stopping })
  await checkAddress(config)
  const tightened = tightenFolder(config.dataDir)
  if (tightened > 0)
    progress(`Took the rights of others from ${tightened} files and folders in ${config.dataDir}`)

  // The model loads while the database starts: they are different threads and processes.
  const embedders = openEmbedders(config, parts)
  const open = config.databaseUrl === undefined ? openEmbeddedDatabase : openDatabaseServerAfter
  const { db, done: defaultKey } = await open((owner) => ensureDefaultKey(owner, config), config, parts)
  const bus = await openBus(config, parts)
  await embedders.ready()
  const signal = createPositionSignal()
  const metrics = openMetrics('daybook', db, parts)
  const shared = { db, bus, signal, embedders, metrics, activity }

  const workers = openQueueWorkers(shared, parts)
  const applying = { db, bus, signal, logger, metrics, workers, activity, model: embedders.preferred }
  const { selfCheckMs } = config
  const engines = openEngines(config)
  for (const engine of engines) {
    shutdown.add(engine.close)
    const projector = await startEngine(engine, { ...applying, selfCheckMs })
    shutdown.add(projector.stop, { part: `the ${engine.name} projector` })
  }
  const reindex = startReindex({ ...applying, embedders, engines, keepOldMs: config.keepGenerationMs })
  shutdown.add(reindex.stop, { part: 'the operations' })
  const gateway = await serveGateway(config, shared, parts)
  lock.serving(gateway.url)
  return { url: gateway.url, apiKey: defaultKey.key, apiKeyPlace: defaultKey.place }
}
