import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DaybookError } from '@daybook/memory/errors'
import { type Access, findKey } from '@daybook/postgres/access/api-keys'
import {
  createLoginToken,
  endSession,
  findSession,
  openSession,
} from '@daybook/postgres/access/console-sessions'
import { readProjects } from '@daybook/postgres/access/projects'
import type { Database } from '@daybook/postgres/connect'
import type { RequestTarget } from '@daybook/runtime/http/http-server'
import { isSameOrigin, parseHostName } from '@daybook/runtime/http/trusted-names'
import { sendJson } from '@daybook/runtime/probes'
import { type Authenticate, REFUSALS } from '../authenticate.ts'
import { sendError } from '../http/failure.ts'
import type { KeyBudget } from '../http/key-budget.ts'
import { discardBody, readSmallJson } from '../http/request-context.ts'
import { ASK_AGAIN, type Bodies, FOREVER, type StaticFile, staticFile } from '../http/static-file.ts'
import { REQUEST_COST } from '../schema/limits.ts'

/** Answers what browsers ask the console for. @returns false for a request that is not about the console */
export type AnswerConsole = (
  request: IncomingMessage,
  response: ServerResponse,
  target: RequestTarget,
) => Promise<boolean>

/**
 * Serves the web console: its page at `/` and below `/console/`, whatever follows there (the page itself reads its
 * address, so that any can be reloaded), its files below `/console/assets/`, its login at `/console/session`.
 * @param folder with the built console
 */
export function serveConsole(folder: string, parts: SessionParts): AnswerConsole {
  const files = createConsoleFiles(folder)
  return async (request, response, { path }) => {
    if (path === '/console/session') {
      await answerSession(parts, request, response)
      return true
    }
    if (!readsPage(request)) return false
    if (await files.answerFile(path, request, response)) return true
    const isPage = path === '/' || path === '/console' || path.startsWith('/console/')
    if (!isPage || !wantsHtml(request)) return false
    await files.answerPage(request, response)
    return true
  }
}

const readsPage = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD'

/** Programs that ask for anything (`*\/*`) get the API's answer. */
const wantsHtml = ({ headers }: IncomingMessage): boolean => (headers.accept ?? '').includes('text/html')

/** Serves the files of the built console. They are read once, at the first request. */
interface ConsoleFiles {
  /** Answers with a file of the console. @returns false for any other path */
  answerFile(path: string, request: IncomingMessage, response: ServerResponse): Promise<boolean>
  /** Answers with the page, which is the same for each of its addresses. */
  answerPage(request: IncomingMessage, response: ServerResponse): Promise<void>
}

interface Loaded {
  readonly page: StaticFile
  /** By name. */
  readonly assets: ReadonlyMap<string, StaticFile>
}

/** Where the files are; their names hold their hashes. */
const ASSETS = '/console/assets/'

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/**
 * What the page may do: run and load what this server sends, and ask this server. A memory that holds HTML is text in
 * the page; should a mistake make it more, nothing of it runs. `trusted-types` names no policy, so no script can turn a
 * text into HTML or into code.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/** @param folder from `findConsoleFolder` */
function createConsoleFiles(folder: string): ConsoleFiles {
  let loading: Promise<Loaded> | undefined
  const loaded = (): Promise<Loaded> => {
    loading ??= load(folder).catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }
  return {
    async answerFile(path, request, response) {
      if (!path.startsWith(ASSETS)) return false
      const file = (await loaded()).assets.get(path.slice(ASSETS.length))
      file?.answer(request, response)
      return file !== undefined
    },
    answerPage: async (request, response) => (await loaded()).page.answer(request, response),
  }
}

async function load(folder: string): Promise<Loaded> {
  const names = await readdir(join(folder, 'assets'))
  const assets = await Promise.all(
    names
      .filter((name) => extname(name) in TYPES)
      .map(async (name) => {
        const bodies = await readBodies(join(folder, 'assets', name), names.includes(`${name}.br`))
        return [name, staticFile(TYPES[extname(name)] as string, bodies, FOREVER)] as const
      }),
  )
  // Other clients get other answers at the same addresses.
  const page = staticFile(
    'text/html; charset=utf-8',
    await readBodies(join(folder, 'index.html'), false),
    ASK_AGAIN,
    {
      'content-security-policy': POLICY,
      vary: 'accept, accept-encoding',
    },
  )
  return { page, assets: new Map(assets) }
}

async function readBodies(path: string, compressed: boolean): Promise<Bodies> {
  if (!compressed) return { identity: await readFile(path) }
  const [identity, br, gzip] = await Promise.all(['', '.br', '.gz'].map((ending) => readFile(path + ending)))
  return { identity: identity as Buffer, br: br as Buffer, gzip: gzip as Buffer }
}

/** Where the console's files are, seen from a bundle: in the package `daybook`, and in images. */
const BESIDE_A_BUNDLE = ['../console', '../../console/dist']

/**
 * The folder with the built console (`scripts/bundle-console.mjs`).
 * @param given what `DAYBOOK_CONSOLE_DIR` says, which is checked already
 * @returns null if there is none: the gateway then serves no console
 */
export function findConsoleFolder(given: string | undefined, from: string = import.meta.url): string | null {
  const beside = BESIDE_A_BUNDLE.map((one) => fileURLToPath(new URL(one, from)))
  return given ?? beside.find((folder) => existsSync(join(folder, 'index.html'))) ?? null
}

/*
 * The console's session is in a cookie that scripts cannot read (HttpOnly), that browsers send to no other host, and
 * with no request that another site began (SameSite=Strict). That is not enough: cookies do not know ports, so a page
 * of another server on the same host is the same site. So a request counts only if it also shows that a page of this
 * very origin made it.
 */

/** The header that the console's own page adds. A page of another origin can add it only after a CORS preflight. */
const PAGE_HEADER = 'x-daybook-console'

/** Two Daybooks on one host share their cookies, so the name holds the port. */
const nameFor = (host: string | undefined): string =>
  `daybook-session-${parseHostName(host ?? '')?.port ?? 'default'}`

/** Browsers accept such a name only over TLS, for this one host, so that no other host of the domain can set it. */
const SECURE_PREFIX = '__Host-'

/** What a page must show. */
interface PageRule {
  /** `header`: a request of `fetch`. `origin`: the upgrade to a WebSocket, to which pages cannot add headers. */
  readonly proof: 'header' | 'origin'
}

/**
 * The session's token, if the request is one of the console's own page and shows no key. Otherwise the cookie is
 * ignored, as if it were not there.
 */
export function sessionIn(headers: IncomingHttpHeaders, { proof }: PageRule): string | null {
  if (headers.authorization !== undefined || !isOfOwnPage(headers, proof)) return null
  const name = nameFor(headers.host)
  const cookies = new Map(
    (headers.cookie ?? '').split(';').map((one) => {
      const at = one.indexOf('=')
      return [one.slice(0, at).trim(), one.slice(at + 1).trim()] as const
    }),
  )
  const token = cookies.get(SECURE_PREFIX + name) ?? cookies.get(name)
  return token === undefined || !/^[\w-]{43}$/u.test(token) ? null : token
}

/** Whether a page of this server's own origin sent the request, as far as browsers tell. */
function isOfOwnPage(headers: IncomingHttpHeaders, proof: PageRule['proof']): boolean {
  const { origin, host } = headers
  const site = headers['sec-fetch-site']
  if (origin !== undefined && !isSameOrigin(origin, host)) return false
  if (site !== undefined && site !== 'same-origin') return false
  return proof === 'origin' ? origin !== undefined : headers[PAGE_HEADER] === '1'
}

/**
 * The header that gives a browser its session, or takes it away.
 * @param token null: logged out
 * @param lastsMs how long the browser keeps it, in milliseconds
 */
function sessionCookie(headers: IncomingHttpHeaders, token: string | null, lastsMs: number): string {
  // Whoever ends TLS is in front of the gateway, but the page's origin comes from the browser itself.
  const secure = headers.origin?.startsWith('https:') === true
  return [
    `${secure ? SECURE_PREFIX : ''}${nameFor(headers.host)}=${token ?? ''}`,
    'Path=/',
    'HttpOnly',
    'SameSite=Strict',
    ...(secure ? ['Secure'] : []),
    `Max-Age=${token === null ? 0 : Math.floor(lastsMs / 1_000)}`,
  ].join('; ')
}

/** A key has at most 204 characters (`DAYBOOK_DEFAULT_KEY`); more is nothing that the page sends. */
const BODY_CHARACTERS = 400

/** What the answers need. */
interface SessionParts {
  readonly db: Database
  readonly authenticate: Authenticate
  readonly budget: KeyBudget
  /** How long a session lasts at most, and without a request; in milliseconds. */
  readonly sessionMs: number
  readonly sessionIdleMs: number
}

/**
 * `/console/session`, for the console's own page only:
 *
 * - `GET` says who is logged in: `{"session": null}`, or the key's name and scopes, its projects, and the session's end
 * - `POST` with `{"token": …}` of a login link, or `{"key": …}`, logs in: the cookie is in the answer
 * - `DELETE` logs out
 */
async function answerSession(
  parts: SessionParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = 'GET', headers } = request
  const { db, authenticate, sessionMs } = parts
  // Else another page could log its visitor in with a key of its own, and read later what the visitor remembers.
  if (!isOfOwnPage(headers, 'header')) {
    sendError(
      response,
      403,
      'ORIGIN_NOT_ALLOWED',
      `Only the console's own page may ask this: a request of its origin, with the header "${PAGE_HEADER}: 1"`,
    )
    return discardBody(request)
  }
  if (method === 'GET') return sendJson(response, 200, { session: await describeSession(parts, request) })
  const shown = sessionIn(headers, { proof: 'header' })
  if (method === 'DELETE') {
    // Only then: else anybody could have all keys looked up again.
    if (shown !== null && (await endSession(db, shown))) authenticate.forget()
    response.writeHead(204, { 'set-cookie': sessionCookie(headers, null, 0) }).end()
    return discardBody(request)
  }
  if (method !== 'POST') {
    sendError(response, 405, 'METHOD_NOT_ALLOWED', '/console/session takes GET, POST and DELETE', {
      allow: 'GET, POST, DELETE',
    })
    return discardBody(request)
  }
  const token = await openFor(parts, (await readSmallJson(request, BODY_CHARACTERS)) ?? {})
  // A login replaces the one before; nobody could log out of that one any more.
  if (shown !== null && (await endSession(db, shown))) authenticate.forget()
  response.writeHead(204, { 'set-cookie': sessionCookie(headers, token, sessionMs) }).end()
}

/** @throws DaybookError UNAUTHENTICATED, with the reason */
async function openFor(
  { db, sessionMs }: SessionParts,
  { token, key }: Readonly<Record<string, unknown>>,
): Promise<string> {
  if (typeof key === 'string') {
    const found = await findKey(db, key)
    const opened = 'access' in found ? await openSession(db, key, sessionMs) : null
    if (opened !== null) return opened
    throw new DaybookError(
      'UNAUTHENTICATED',
      'refusal' in found && found.refusal !== 'unknown' ? REFUSALS[found.refusal] : UNKNOWN_KEY,
    )
  }
  const opened = typeof token === 'string' ? await openSession(db, token, sessionMs) : null
  if (opened === null) throw new DaybookError('UNAUTHENTICATED', LINK_SPENT)
  return opened
}

const UNKNOWN_KEY = 'Daybook does not know this key. The daemon keeps the first one in <data folder>/api-key'

const LINK_SPENT =
  'This login link was used already, or is too old: get another one with "daybook console", or paste a key'

async function describeSession(parts: SessionParts, { headers }: IncomingMessage): Promise<object | null> {
  const token = sessionIn(headers, { proof: 'header' })
  const found = token === null ? null : await findSession(parts.db, token, parts.sessionIdleMs)
  if (found === null || 'refusal' in found) return null
  parts.budget.spend(found.access.keyId, REQUEST_COST)
  const { keyName, scopes, admin, projects } = found.access
  const named = await readProjects(parts.db, projects)
  return {
    key: keyName,
    scopes: [...scopes],
    wholeDaybook: admin,
    projects: named.map(({ id, name }) => ({ id, name })),
    expiresAt: found.expiresAt,
  }
}

/** How long a link works, in milliseconds. */
const LINK_MS = 5 * 60_000

/** A link that logs a browser in, once. */
export interface LoginLink {
  /** `/console/login#token=…`. Browsers send the fragment to no server, so that it is in no log and no referrer. */
  readonly path: string
  /** RFC 3339. */
  readonly expiresAt: string
}

/** @throws DaybookError FORBIDDEN for a session or an access token, UNAUTHENTICATED if the key has just ended */
export async function makeLoginLink(db: Database, access: Access): Promise<LoginLink> {
  // Else a session could renew itself for ever, and its end would mean nothing.
  if (access.sessionId !== undefined || access.tokenEndsAt !== undefined)
    throw new DaybookError(
      'FORBIDDEN',
      `"createLoginLink" needs the key itself, and this is ${access.sessionId === undefined ? 'an access token' : 'a session of the console'}: use "daybook console"`,
    )
  const made = await createLoginToken(db, access, LINK_MS)
  if (made === null) throw new DaybookError('UNAUTHENTICATED', 'This API key has just ended: use another one')
  return { path: `/console/login#token=${made.token}`, expiresAt: made.expiresAt }
}
