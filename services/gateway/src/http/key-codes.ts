import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { sendJson } from '@daybook/runtime/probes'
import { discardBody } from './request-limits.ts'
import { sendError } from './failure.ts'
import { readSmallJson } from './read-header.ts'

/*
 * A link with a key in it stays where links stay: in the terminal's history, in screenshots, in the browser's
 * list of pages. So a link has a code, which is worth nothing once it was used or some minutes old.
 */

/** How long a code works, in milliseconds. */
export const CODE_MS = 10 * 60_000

/** Codes at a time. Only the daemon itself makes them, one for each start. */
const CODES = 100

/** A code is 22 characters in JSON; more is nothing that the page sends. */
const BODY_BYTES = 200

/** Codes that each stand for a key, once. */
export interface KeyCodes {
  /** A code that hands out the key once, within 10 minutes. */
  offer(key: string): string
  /** The key that the code stands for; null if it was used, is too old or never was. */
  take(code: string): string | null
}

/** @param now milliseconds, for tests */
export function createKeyCodes(now: () => number = () => performance.now()): KeyCodes {
  const offered = new Map<string, { readonly key: string; readonly until: number }>()
  const drop = () => {
    const [oldest] = offered.keys()
    for (const [code, { until }] of offered)
      if (until <= now() || (offered.size > CODES && code === oldest)) offered.delete(code)
  }
  return {
    offer(key) {
      // 128 bits: nobody guesses one in 10 minutes, so tries need no count.
      const code = randomBytes(16).toString('base64url')
      offered.set(code, { key, until: now() + CODE_MS })
      drop()
      return code
    },
    take(code) {
      drop()
      const found = offered.get(code)
      offered.delete(code)
      return found?.key ?? null
    },
  }
}

/** `POST /graphql/key` with `{"code": …}`: answers with `{"key": …}`, once. */
export async function answerKeyCode(
  codes: KeyCodes,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'POST') {
    sendError(response, 405, 'METHOD_NOT_ALLOWED', '/graphql/key takes POST only', { allow: 'POST' })
    return discardBody(request)
  }
  const code = await readCode(request)
  const key = code === null ? null : codes.take(code)
  if (key === null) {
    sendError(
      response,
      403,
      'CODE_NOT_VALID',
      `This link was used already or is older than ${CODE_MS / 60_000} minutes: paste the key, or restart Daybook for a new link`,
    )
    return discardBody(request)
  }
  sendJson(response, 200, { key })
}

async function readCode(request: IncomingMessage): Promise<string | null> {
  const { code } = (await readSmallJson(request, BODY_BYTES)) ?? {}
  return typeof code === 'string' ? code : null
}
