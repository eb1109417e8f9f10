import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { findDataFolder, servedAt } from './data-folder.ts'
import { LocalDaemonError } from './local-daemon-error.ts'

/** What a person gives to name a daemon and a project. What is absent is looked up. */
export interface ConnectionOptions {
  readonly url?: string
  readonly dataDir?: string
  readonly project?: string
}

/** Environment variables, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Where a daemon is. */
export interface Place {
  /** Without a slash at the end: `http://127.0.0.1:4000`. */
  readonly url: string
  /** Absolute. */
  readonly dataDir: string
  /** The name or id of the project that is meant; null: the key's only one. */
  readonly project: string | null
}

/** Where a daemon is and how to open it. */
export interface Connection extends Place {
  readonly apiKey: string
  /** Where the key came from, for messages. */
  readonly keySource: string
}

/** Where a daemon serves that was told no other address. */
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

/**
 * The daemon's address, data folder and project, without its key. What was not given is looked up: the folder by
 * `findDataFolder`, the address in the folder. An empty variable counts as absent.
 * @throws LocalDaemonError INVALID_URL
 */
export function placeFrom(options: ConnectionOptions, environment: Environment): Place {
  const dataDir = dataFolderFrom(options, environment)
  const url = givenUrl(options, environment) ?? servedAt(dataDir) ?? DEFAULT_URL
  return { url: parseUrl(url), dataDir, project: options.project ?? (environment['DAYBOOK_PROJECT'] || null) }
}

/**
 * The daemon's address and key. The options go before the environment: `dataDir`, then `DAYBOOK_API_KEY`,
 * then the file of `DAYBOOK_API_KEY_FILE`, then `DAYBOOK_DATA_DIR`.
 * @throws LocalDaemonError INVALID_URL, or NO_API_KEY if no key is found
 */
export function connectionFrom(options: ConnectionOptions, environment: Environment): Connection {
  const place = placeFrom(options, environment)
  const fromEnvironment = environment['DAYBOOK_API_KEY']?.trim()
  if (options.dataDir === undefined && fromEnvironment)
    return { ...place, apiKey: fromEnvironment, keySource: 'the environment variable DAYBOOK_API_KEY' }
  const file = options.dataDir === undefined && environment['DAYBOOK_API_KEY_FILE']?.trim()
  const path = file ? file : join(place.dataDir, 'api-key')
  const found = readKey(path)
  if ('apiKey' in found) return { ...place, apiKey: found.apiKey, keySource: `the file ${path}` }
  throw new LocalDaemonError('NO_API_KEY', `No API key was found: ${found.problem}`, [
    'The daemon writes the file when it starts for the first time:  daybook start, or npm start in the repository',
    'Its data folder is another one?  --data-dir <folder>, or DAYBOOK_DATA_DIR',
    'The daemon runs elsewhere?  Set DAYBOOK_API_KEY (and DAYBOOK_URL)',
  ])
}

/**
 * The headers that open a project. A name that is not ASCII is percent-encoded, which the gateway understands.
 * @param client the name of the program that asks, for the daemon's logs: `daybook-cli`
 */
export function keyHeaders(
  { apiKey, project }: Pick<Connection, 'apiKey' | 'project'>,
  client: string,
): Record<string, string> {
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
