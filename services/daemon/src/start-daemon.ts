import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInProcessBus } from '@daybook/bus/in-process-bus'
import { DEFAULT_MODEL } from '@daybook/embeddings/default-model'
import type { Embedder } from '@daybook/embeddings/embedder'
import { startMiniLm } from '@daybook/embeddings/minilm-embedder'
import { type Gateway, startGateway } from '@daybook/gateway/start'
import { createJournalWriter } from '@daybook/journal/journal-writer'
import { type DatabaseAddress, openDatabase, serverAddress } from '@daybook/postgres/connect'
import { type EmbeddedDatabase, startEmbeddedDatabase } from '@daybook/postgres/embedded/start'
import { migrate } from '@daybook/postgres/migrate'
import { createPositionSignal } from '@daybook/projection/position-signal'
import { startPgvectorProjector } from '@daybook/projector-pgvector/start'
import { startAccessTracker } from '@daybook/read-model/access'
import type { Config } from '@daybook/runtime/config'
import type { Logger } from '@daybook/runtime/logger'
import { ensureDefaultKey, lockDataFolder } from './data-folder.ts'

export interface Daemon {
  readonly url: string
  readonly apiKey: string
  readonly apiKeyPath: string
  /** The embedded database's process, while it runs. For crash tests and status. */
  readonly databasePid: () => number | undefined
  /** Finishes what was accepted, then ends every part in the opposite order of their start. */
  stop(): Promise<void>
}

/** Says what is being done, in a sentence for the person who started it. */
export type Progress = (message: string) => void

/**
 * Everything of Daybook in one process, on embedded parts where no server is configured:
 *
 *   data folder's lock ▶ database ▶ migrations ▶ model ▶ journal, bus ▶ projector ▶ gateway
 *
 * @throws DaybookError CONFIGURATION, LOCKED, UNAVAILABLE, written for the person who started it
 */
export async function startDaemon(config: Config, logger: Logger, progress: Progress): Promise<Daemon> {
  const stops: (() => Promise<void> | void)[] = []
  const stopAll = async () => {
    for (const stop of stops.toReversed()) await stop()
  }
  try {
    mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
    const lock = lockDataFolder(config.dataDir)
    stops.push(lock.release)

    // The model loads while the database starts: they are different threads and processes.
    const loading = startEmbedder(config, progress)
    stops.push(async () => (await loading.catch(() => null))?.close())
    const { address, embedded } = await startDatabase(config, logger, progress, stops)
    const applied = await migrate(address)
    if (applied.length > 0) progress(`Prepared the database (${applied.join(', ')})`)
    const db = openDatabase(address, {
      onConnectionError: (error) =>
        logger.warn({ error }, 'a database connection broke; a new one is made when needed'),
    })
    stops.push(() => db.destroy())
    const { key, path } = await ensureDefaultKey(db, config.dataDir)
    const embedder = await loading

    const bus = createInProcessBus()
    const signal = createPositionSignal()
    const writer = createJournalWriter((projectId, events) => bus.publish(projectId, events))
    const access = startAccessTracker(db, logger)
    stops.push(access.stop)
    const projector = await startPgvectorProjector({
      db,
      bus,
      signal,
      logger,
      embedder,
      model: embedder ?? DEFAULT_MODEL,
    })
    stops.push(projector.stop)
    const gateway: Gateway = await startGateway({ db, writer, bus, signal, embedder, access, logger }, config)
    stops.push(gateway.stop)
    lock.describe({ url: gateway.url })
    return {
      url: gateway.url,
      apiKey: key,
      apiKeyPath: path,
      databasePid: () => embedded?.pid(),
      stop: stopAll,
    }
  } catch (error) {
    await stopAll()
    throw error
  }
}

async function startEmbedder(config: Config, onProgress: Progress): Promise<Embedder | null> {
  if (config.embedder === 'none') return null
  return startMiniLm({ cacheDir: join(config.dataDir, 'models'), modelDir: config.modelDir, onProgress })
}

async function startDatabase(
  config: Config,
  logger: Logger,
  progress: Progress,
  stops: (() => Promise<void> | void)[],
): Promise<{ address: DatabaseAddress; embedded: EmbeddedDatabase | null }> {
  if (config.databaseUrl !== undefined) {
    progress('Using the Postgres of DATABASE_URL')
    return { address: serverAddress(config.databaseUrl), embedded: null }
  }
  progress(`Starting the embedded database in ${config.dataDir}`)
  const embedded = await startEmbeddedDatabase(config.dataDir, logger)
  stops.push(embedded.stop)
  return { address: embedded.address, embedded }
}
