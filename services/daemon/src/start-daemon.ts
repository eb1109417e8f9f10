import { ensureDefaultKey } from '@daybook/gateway/authenticate'
import { openDatabaseServerAfter, openEmbeddedDatabase } from '@daybook/process/open-database'
import { openEmbedders } from '@daybook/process/open-embedders'
import type { ProcessParts } from '@daybook/process/process-parts'
import { ALWAYS_ACTIVE, createActivity } from '@daybook/runtime/activity'
import type { Config } from '@daybook/runtime/config'
import { checkAddress } from '@daybook/runtime/listen'
import { tightenFolder } from '@daybook/runtime/private-folder'
import type { WithoutTerms } from '@daybook/search/ranking/terms'
import { lockDataFolder } from './data-folder.ts'

/** A daemon that is ready. */
export interface Daemon {
  readonly url: string
  readonly apiKey: string
  /** The address of GraphiQL that hands it the API key, once; null if GraphiQL is switched off. */
  graphiqlLink(): string | null
  /** The address of the web console that logs its first visitor in, once; null if there is no console. */
  consoleLink(): Promise<string | null>
  /** Where a person finds the API key. */
  readonly apiKeyPlace: string
}

/**
 * Starts all of Daybook in one process. Parts for which no server is configured are embedded:
 *
 *   data folder's lock ▶ database ▶ migrations ▶ default key ▶ model ▶ bus ▶ projectors ▶ reindex ▶ gateway
 *
 * @param without for evaluations: the terms that the ranking leaves out now; default none
 * @throws DaybookError CONFIGURATION, LOCKED or UNAVAILABLE, with a message for the person who started it
 */
export async function startDaemon(
  config: Config,
  given: ProcessParts,
  without?: WithoutTerms,
): Promise<Daemon> {
  const { progress, shutdown } = given
  // No other process uses an embedded database, so only this one decides when to rest.
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
  // Loading the services' code takes about as long as the database and the model take to start, so do both at
  // once.
  const [{ db, done: defaultKey }, { startServices }] = await Promise.all([
    open((owner) => ensureDefaultKey(owner, config), config, parts),
    import('./start-services.ts'),
  ])
  await embedders.ready()
  const gateway = await startServices(config, { db, embedders, without }, parts)
  lock.serving(gateway.url)
  return {
    url: gateway.url,
    apiKey: defaultKey.key,
    consoleLink: () => gateway.consoleLink(defaultKey.key),
    graphiqlLink: () => gateway.graphiqlLink(defaultKey.key),
    apiKeyPlace: defaultKey.place,
  }
}
