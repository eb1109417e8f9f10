import { DaybookClientError } from '../client-error.ts'
import { daemonUrl } from './daemon-url.ts'

/** Where a Daybook is, how to open it, and who asks. */
export interface ConnectionOptions {
  /** The daemon's address, such as `http://127.0.0.1:4000`; with or without `/graphql`. */
  readonly url: string
  /**
   * `dbk_…`. It is sent to `url` only, and is in no error. Null in the page of Daybook's own console, which has a session
   * instead: its cookie goes with requests to the page's own origin.
   */
  readonly apiKey: string | null
  /** The name or id of the project. Needed for a key of several projects. */
  readonly project?: string | undefined
  /** The agent for which the program works, noted as the writer of each change. Default: none. */
  readonly agent?: string | undefined
  /** The program, noted as the client of each change. Default `daybook-client`. */
  readonly userAgent?: string | undefined
  /** How long one request may take, in milliseconds. Default 60,000; the daemon itself waits at most 5,000. */
  readonly timeoutMs?: number | undefined
  /** Takes the place of the runtime's own `fetch`, for proxies and tests. */
  readonly fetch?: typeof fetch | undefined
}

/** What every request needs. */
export interface Connection {
  /** Without a slash at the end. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly fetch: typeof fetch
}

/** How long one request may take unless the caller says otherwise, in milliseconds. */
const TIMEOUT_MS = 60_000

/** @throws DaybookClientError VALIDATION for a URL or key that cannot be one */
export function openConnection(options: ConnectionOptions): Connection {
  const { apiKey, project, agent, userAgent = 'daybook-client', timeoutMs = TIMEOUT_MS } = options
  const url = daemonUrl(options.url)
  if (url === null)
    throw invalid('url', `is not the URL of a daemon, such as http://127.0.0.1:4000: ${options.url}`)
  // A header takes only printable ASCII; anything else is not one of Daybook's keys. The key itself is not shown.
  if (apiKey !== null && !/^[!-~]+$/u.test(apiKey)) throw invalid('apiKey', 'is not a key of Daybook: dbk_…')
  if (!(timeoutMs > 0)) throw invalid('timeoutMs', `must be more than 0 ms: ${timeoutMs}`)
  return {
    url,
    timeoutMs,
    // Browsers want it called on the global object.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    headers: {
      ...(apiKey === null ? { 'x-daybook-console': '1' } : { authorization: `Bearer ${apiKey}` }),
      // Browsers send a User-Agent of their own.
      'x-daybook-client': encodeURIComponent(userAgent),
      ...(project !== undefined && { 'x-daybook-project': encodeURIComponent(project) }),
      ...(agent !== undefined && { 'x-daybook-agent': encodeURIComponent(agent) }),
    },
  }
}

const invalid = (field: string, problem: string) =>
  new DaybookClientError('VALIDATION', `${field} ${problem}`, { field })
