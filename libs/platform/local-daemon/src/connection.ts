import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { LocalDaemonError, servedAt } from './daemon-state.ts'
import { findDataFolder } from './data-folder.ts'

/** What a person gives to name a daemon and a project. What is absent is looked up. */
export interface ConnectionOptions {
  readonly url?: string
  readonly dataDir?: string
  readonly project?: string
}

/** Environment variables, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Where a daemon is. */
export interface DaemonAddress {
  /** Without a slash at the end: `http://127.0.0.1:4000`. */
  readonly url: string
  /** Whether a person gave `url`. Else the data folder named it, which holds only while its daemon serves there. */
  readonly isGiven: boolean
  /** Absolute. */
  readonly dataDir: string
  /** The name or id of the project that is meant; null: the key's only one. */
  readonly project: string | null
}

/** Where a daemon is and how to open it. */
export interface Connection extends DaemonAddress {
  readonly apiKey: string
  /** Where the key came from, for messages. */
  readonly keySource: string
}

/** Where a daemon serves that was told no other address: for examples, never to send a key to. */
export const DEFAULT_URL = 'http://127.0.0.1:4000'

/**
 * Parses a URL as people write it, with or without `/graphql` at its end.
 * @throws LocalDaemonError INVALID_URL
 */
export function parseUrl(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : null
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new LocalDaemonError('INVALID_URL', `"${given}" is not a URL of a daemon, such as ${DEFAULT_URL}`)
  return `${url.origin}${url.pathname.replace(/\/+$/u, '').replace(/\/graphql$/u, '')}`
}

/** The address that a person gave; undefined if it is to be looked up. An empty variable counts as absent. */
export function givenUrl({ url }: ConnectionOptions, environment: Environment): string | undefined {
  return url ?? (environment['DAYBOOK_URL'] || undefined)
}

/** The data folder that is given, or found by `findDataFolder`; absolute. */
export function dataFolderFrom({ dataDir }: ConnectionOptions, environment: Environment): string {
  const given = dataDir ?? (environment['DAYBOOK_DATA_DIR'] || undefined)
  return given === undefined ? findDataFolder('.') : resolve(given)
}

/** The address that is given, else that of the folder's daemon; null if that does not serve. @throws LocalDaemonError INVALID_URL */
export function addressFrom(options: ConnectionOptions, environment: Environment): string | null {
  const url = givenUrl(options, environment) ?? servedAt(dataFolderFrom(options, environment))
  return url === null ? null : parseUrl(url)
}

/**
 * The daemon's address, data folder and project, without its key. What was not given is looked up: the folder by
 * `findDataFolder`, the address in the folder. There is no usual address: whoever listens there would get the folder's key. An empty
 * variable counts as absent.
 * @throws LocalDaemonError INVALID_URL or DAEMON_NOT_RUNNING
 */
export function placeFrom(options: ConnectionOptions, environment: Environment): DaemonAddress {
  const dataDir = dataFolderFrom(options, environment)
  const url = addressFrom(options, environment)
  if (url === null) throw notRunning(dataDir)
  const isGiven = givenUrl(options, environment) !== undefined
  return { url, isGiven, dataDir, project: options.project ?? (environment['DAYBOOK_PROJECT'] || null) }
}

/** The error for a data folder whose daemon does not serve. */
export function notRunning(dataDir: string): LocalDaemonError {
  return new LocalDaemonError('DAEMON_NOT_RUNNING', `The daemon of this folder does not run: ${dataDir}`, [
    'Start it:               daybook start --detach   (or npm start in the repository; ready after some seconds)',
    'It runs elsewhere?      --url http://host:port, or set DAYBOOK_URL',
    'Another folder?         --data-dir <folder>, or DAYBOOK_DATA_DIR',
  ])
}

/** Whether the address is given, or the data folder's daemon still serves it. Only then may the key go there. */
export function isCurrent({ url, isGiven, dataDir }: DaemonAddress): boolean {
  const served = isGiven ? url : servedAt(dataDir)
  return served !== null && parseUrl(served) === url
}

/**
 * The daemon's address and key. The options go before the environment: `dataDir`, then `DAYBOOK_API_KEY`,
 * then the file of `DAYBOOK_API_KEY_FILE`, then `DAYBOOK_DATA_DIR`.
 * @throws LocalDaemonError NO_API_KEY if no key is found, or what `placeFrom` throws
 */
export function connectionFrom(options: ConnectionOptions, environment: Environment): Connection {
  const key = keyFrom(options, environment)
  return { ...placeFrom(options, environment), ...key }
}

/** The key alone, as `connectionFrom` chooses it. @throws LocalDaemonError NO_API_KEY */
export function keyFrom(
  options: ConnectionOptions,
  environment: Environment,
): Pick<Connection, 'apiKey' | 'keySource'> {
  const fromEnvironment = environment['DAYBOOK_API_KEY']?.trim()
  if (options.dataDir === undefined && fromEnvironment)
    return { apiKey: fromEnvironment, keySource: 'the environment variable DAYBOOK_API_KEY' }
  const file = options.dataDir === undefined && environment['DAYBOOK_API_KEY_FILE']?.trim()
  const path = file ? file : join(dataFolderFrom(options, environment), 'api-key')
  const found = readKey(path)
  if ('apiKey' in found) return { apiKey: found.apiKey, keySource: `the file ${path}` }
  throw new LocalDaemonError('NO_API_KEY', `No API key was found: ${found.problem}`, [
    'The daemon writes the file when it starts for the first time:  daybook start, or npm start in the repository',
    'Its data folder is another one?  --data-dir <folder>, or DAYBOOK_DATA_DIR',
    'The daemon runs elsewhere?  Set DAYBOOK_API_KEY (and DAYBOOK_URL)',
  ])
}

/**
 * The headers that open a project. Every key leaves through here, at each request, since the daemon may have ended since the last one
 * and a stranger may have its port. A name that is not ASCII is percent-encoded, which the gateway understands.
 * @param client the name of the program that asks, for the daemon's logs: `daybook-cli`
 * @throws LocalDaemonError DAEMON_NOT_RUNNING
 */
export function keyHeaders(connection: Connection, client: string): Record<string, string> {
  if (!isCurrent(connection)) throw notRunning(connection.dataDir)
  const { apiKey, project } = connection
  return {
    authorization: `Bearer ${apiKey}`,
    'user-agent': client,
    ...(project !== null && { 'x-daybook-project': encodeURIComponent(project) }),
  }
}

/** Reads a key from a file. @returns the key, or why there is none, in words */
function readKey(path: string): { apiKey: string } | { problem: string } {
  try {
    const apiKey = readFileSync(path, 'utf8').trim()
    // A header takes only printable ASCII; anything else is not one of our keys.
    if (!/^[!-~]+$/u.test(apiKey)) return { problem: `the file ${path} does not hold one` }
    return { apiKey }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return {
      problem:
        code === 'ENOENT'
          ? `DAYBOOK_API_KEY is not set, and there is no file ${path}`
          : `DAYBOOK_API_KEY is not set, and the file ${path} cannot be read (${code ?? message})`,
    }
  }
}
