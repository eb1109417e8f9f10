import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { UnauthorisedError, UsageError } from './cli-error.ts'
import { findDataFolder, servedAt } from './data-folder.ts'

/** The options that every command has, as commander gives them. */
export interface GlobalOptions {
  readonly url?: string
  readonly dataDir?: string
  readonly json?: boolean
  readonly project?: string
}

/** Environment variables, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Where the daemon is and how to open it. */
export interface Connection {
  /** Without a slash at the end: `http://127.0.0.1:4000`. */
  readonly url: string
  readonly dataDir: string
  readonly apiKey: string
  /** Where the key came from, for messages. */
  readonly keySource: string
  /** The name or id of the project that is meant; null: the key's only one. */
  readonly project: string | null
}

/** Where a daemon serves that was told no other address. */
export const DEFAULT_URL = 'http://127.0.0.1:4000'

/** Parses a URL as people write it, with or without `/graphql` at its end. @throws UsageError */
export function parseUrl(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : null
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new UsageError(`"${given}" is not a URL of a daemon, such as ${DEFAULT_URL}`)
  return `${url.origin}${url.pathname.replace(/\/+$/u, '').replace(/\/graphql$/u, '')}`
}

/**
 * The daemon's address, data folder and project, without its key. What was not given is looked up: the folder by
 * `findDataFolder`, the address in the folder. An empty variable counts as absent.
 * @throws UsageError
 */
export function placeFrom(
  options: GlobalOptions,
  environment: Environment,
): Pick<Connection, 'url' | 'dataDir' | 'project'> {
  const givenDir = options.dataDir ?? (environment['DAYBOOK_DATA_DIR'] || undefined)
  const dataDir = givenDir === undefined ? findDataFolder('.') : resolve(givenDir)
  const givenUrl = options.url ?? (environment['DAYBOOK_URL'] || undefined)
  const project = options.project ?? (environment['DAYBOOK_PROJECT'] || null)
  return { url: parseUrl(givenUrl ?? servedAt(dataDir) ?? DEFAULT_URL), dataDir, project }
}

/**
 * The daemon's address and key. The command line goes before the environment: `--data-dir`, then
 * `DAYBOOK_API_KEY`, then the file of `DAYBOOK_API_KEY_FILE`, then `DAYBOOK_DATA_DIR`.
 * @throws UsageError, UnauthorisedError if no key is found
 */
export function connectionFrom(options: GlobalOptions, environment: Environment): Connection {
  const place = placeFrom(options, environment)
  const fromEnvironment = environment['DAYBOOK_API_KEY']?.trim()
  if (options.dataDir === undefined && fromEnvironment)
    return { ...place, apiKey: fromEnvironment, keySource: 'the environment variable DAYBOOK_API_KEY' }
  const file = options.dataDir === undefined && environment['DAYBOOK_API_KEY_FILE']?.trim()
  const path = file ? file : join(place.dataDir, 'api-key')
  const found = readKey(path)
  if ('apiKey' in found) return { ...place, apiKey: found.apiKey, keySource: `the file ${path}` }
  throw new UnauthorisedError(`No API key was found: ${found.problem}`, [
    'The daemon writes the file when it starts for the first time:  npm start',
    'Its data folder is another one?  --data-dir <folder>, or DAYBOOK_DATA_DIR',
    'The daemon runs elsewhere?  Set DAYBOOK_API_KEY (and DAYBOOK_URL)',
  ])
}

/**
 * The headers that open a project. A name that is not ASCII is percent-encoded, which the gateway understands.
 */
export function keyHeaders({
  apiKey,
  project,
}: Pick<Connection, 'apiKey' | 'project'>): Record<string, string> {
  return {
    authorization: `Bearer ${apiKey}`,
    'user-agent': 'daybook-cli',
    ...(project !== null && { 'x-daybook-project': encodeURIComponent(project) }),
  }
}

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
