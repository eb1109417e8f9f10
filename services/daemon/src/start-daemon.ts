import { join } from 'node:path'
import { ensureDefaultKey } from '@daybook/gateway/authenticate'
import { DaybookError } from '@daybook/memory/errors'
import { openDatabaseServerAfter, openEmbeddedDatabase } from '@daybook/process/open-database'
import { openEmbedders } from '@daybook/process/open-embedders'
import type { ProcessParts, Progress } from '@daybook/process/run-process'
import { pause } from '@daybook/runtime/backoff'
import type { Config } from '@daybook/runtime/config'
import {
  type ExclusiveLock,
  isAlive,
  type LockHolder,
  lockHolder,
  takeLock,
} from '@daybook/runtime/exclusive-lock'
import { checkAddress } from '@daybook/runtime/listen'
import { ALWAYS_ACTIVE, createActivity } from '@daybook/runtime/loop'
import { tightenFolder } from '@daybook/runtime/private-folder'
import type { WithoutTerms } from '@daybook/search/ranking/ablation'

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

/**
 * This process's lock on the data folder. It tells other processes that want the folder what this one is
 * doing.
 */
interface DataFolderLock {
  serving(url: string): void
  stopping(): void
  release(): void
}

/** Milliseconds to wait for a daemon that is stopping: more than a stop may take. */
const STOPPING_MS = 15_000

/** How long to wait for a lock whose file names no living holder, in milliseconds. */
const UNREADABLE_MS = 500

/**
 * Locks the data folder for this process. If the daemon that holds it is stopping, it waits for that.
 * @throws DaybookError LOCKED, naming the daemon that has it
 */
export async function lockDataFolder(
  dataDir: string,
  progress: Progress,
  stoppingMs = STOPPING_MS,
): Promise<DataFolderLock> {
  const path = join(dataDir, 'daemon.lock')
  const beganAt = Date.now()
  let told = false
  for (;;) {
    const lock = takeLock(path)
    if (lock !== null) return describing(lock)
    const holder = lockHolder(path)
    const waited = Date.now() - beganAt
    const stopping = holder['stopping'] === true
    // The lock file is empty for a moment while its holder writes it. A process probing for a daemon briefly
    // holds the lock, and the file still names the daemon before.
    const unnamed = holder.pid === undefined || !isAlive(holder.pid)
    const wait = stopping && !unnamed ? waited < stoppingMs : unnamed && waited < UNREADABLE_MS
    if (!wait) throw refusal(dataDir, holder)
    if (stopping && !told) progress(`The Daybook before${named(holder)} is stopping: waiting for its end`)
    told ||= stopping
    await pause(50)
  }
}

function describing(lock: ExclusiveLock): DataFolderLock {
  let serving: { readonly url?: string } = {}
  return {
    serving(url) {
      serving = { url }
      lock.describe(serving)
    },
    stopping: () => lock.describe({ ...serving, stopping: true }),
    release: lock.release,
  }
}

function named({ pid, url }: LockHolder): string {
  const who = [pid === undefined ? '' : `process ${pid}`, typeof url === 'string' ? `at ${url}` : '']
  const text = who.filter(Boolean).join(' ')
  return text === '' ? '' : ` (${text})`
}

function refusal(dataDir: string, holder: LockHolder): DaybookError {
  const state = holder['stopping'] === true ? ' and is stopping, but does not end' : ''
  return new DaybookError(
    'LOCKED',
    `Another Daybook${named(holder)} uses the data folder ${dataDir}${state}.\n` +
      'Use that one, stop it, or give this one a folder of its own with DAYBOOK_DATA_DIR.',
  )
}
