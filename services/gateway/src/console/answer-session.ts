import type { IncomingMessage, ServerResponse } from 'node:http'
import { DaybookError } from '@daybook/memory/errors'
import { findKey } from '@daybook/postgres/access/api-keys'
import { endSession, findSession, openSession } from '@daybook/postgres/access/console-sessions'
import { readProjects } from '@daybook/postgres/access/projects'
import type { Database } from '@daybook/postgres/connect'
import { sendJson } from '@daybook/runtime/probes'
import { type Authenticate, REFUSALS } from '../authenticate.ts'
import { discardBody } from '../http/discard-body.ts'
import { sendError } from '../http/json-response.ts'
import type { KeyBudget } from '../http/key-budget.ts'
import { REQUEST_COST } from '../http/operation-cost.ts'
import { readSmallJson } from '../http/read-small-json.ts'
import { isOfOwnPage, PAGE_HEADER, sessionCookie, sessionIn } from './session-cookie.ts'

/** A key has at most 204 characters (`DAYBOOK_DEFAULT_KEY`); more is nothing that the page sends. */
const BODY_CHARACTERS = 400

/** What the answers need. */
export interface SessionParts {
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
export async function answerSession(
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
