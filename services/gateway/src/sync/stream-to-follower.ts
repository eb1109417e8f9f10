import type { IncomingMessage, ServerResponse } from 'node:http'
import { createGzip, constants as zlib } from 'node:zlib'
import { DaybookError, ValidationError } from '@daybook/memory/errors'
import { isUuid } from '@daybook/memory/id'
import { safeLine } from '@daybook/memory/safe-text'
import { characters, oneLine } from '@daybook/memory/text-rules'
import type { Access } from '@daybook/postgres/access/api-keys'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { noteFollower } from '@daybook/sync/home/followers'
import { streamJournal } from '@daybook/sync/home/stream-journal'
import { whyEnded } from '../http/ended-early.ts'
import { failureOf } from '../http/failure.ts'
import { sendFailure } from '../http/json-response.ts'
import { readHeader } from '../http/read-header.ts'
import type { GatewayParts } from '../parts.ts'
import type { JournalNews } from '../subscriptions/journal-news.ts'

/** Milliseconds between two notes of how far a follower is. */
const NOTE_MS = 5_000
/** The most characters of a follower's name that are kept. */
const NAME_CHARACTERS = 120

interface Stream {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly query: URLSearchParams
  readonly scope: ProjectScope
  readonly access: Access
  readonly closing: AbortSignal
}

/**
 * `GET /sync/journal?sequence=…&hash=…`: the project's journal after an event, as lines (`@daybook/sync/wire/stream-line`),
 * without an end; compressed if the follower takes gzip. It is read no faster than the follower takes it. An error before
 * the first line has an HTTP status of its own; a later one is the last line.
 */
export async function streamToFollower(
  { logger }: Pick<GatewayParts, 'logger'>,
  news: JournalNews,
  { request, response, query, scope, access, closing }: Stream,
): Promise<void> {
  const after = { sequence: Number(query.get('sequence') ?? Number.NaN), hash: query.get('hash') ?? '' }
  if (!Number.isSafeInteger(after.sequence) || after.sequence < 0 || !/^[0-9a-f]{64}$/u.test(after.hash))
    throw new ValidationError('sequence', 'and hash must be those of the last event that you have')
  const over = new AbortController()
  const end = () => over.abort()
  response.once('close', end)
  closing.addEventListener('abort', end, { once: true })
  if (closing.aborted) end()
  const ended = over.signal
  const followed = news.follow(scope.projectId)
  const note = followerNote(scope, request, access)
  const gzip = takesGzip(request) ? createGzip({ level: 1 }) : null
  gzip?.pipe(response)
  const out = gzip ?? response
  const send = async (text: string): Promise<void> => {
    if (!response.headersSent)
      response.writeHead(200, {
        'content-type': 'application/x-ndjson; charset=utf-8',
        ...(gzip !== null && { 'content-encoding': 'gzip' }),
      })
    const taken = out.write(text)
    gzip?.flush(zlib.Z_SYNC_FLUSH)
    if (!taken) await drained(out, ended)
  }
  try {
    const lines = streamJournal(scope, { after, news: followed, ended, onSent: note })
    for await (const text of lines) {
      if (ended.aborted) break
      if (text !== '') await send(text)
    }
    if (closing.aborted && !response.destroyed)
      throw new DaybookError('UNAVAILABLE', 'This Daybook is being stopped: connect again')
    out.end()
  } catch (error) {
    if (response.destroyed) return
    const failure = failureOf(whyEnded(closing, error, ': connect again'))
    if (!response.headersSent) {
      gzip?.unpipe(response)
      return sendFailure(response, failure)
    }
    logger.info({ error, projectId: scope.projectId }, 'a follower’s stream was ended')
    const { status: _, retryable: __, ...said } = failure
    out.end(`${JSON.stringify({ error: said })}\n`)
  } finally {
    followed.stop()
    closing.removeEventListener('abort', end)
  }
}

const takesGzip = ({ headers }: IncomingMessage): boolean =>
  /\bgzip\b/u.test(headers['accept-encoding']?.toString() ?? '')

/** Notes who follows and how far it may be, now and then. */
function followerNote(scope: ProjectScope, { headers }: IncomingMessage, { keyId }: Access) {
  const given = headers['x-daybook-follower']?.toString() ?? ''
  const name = oneLine(
    safeLine(readHeader(headers['x-daybook-follower-name']?.toString() ?? '')),
    NAME_CHARACTERS,
  )
  let notedAt = -NOTE_MS
  return (sequence: number): void => {
    if (!isUuid(given) || performance.now() - notedAt < NOTE_MS) return
    notedAt = performance.now()
    // Only for operators to see.
    void noteFollower(scope, {
      followerId: given,
      keyId,
      name: characters(name) === 0 ? given : name,
      sequence,
    }).catch(() => {})
  }
}

function drained(
  out: { once(event: string, listener: () => void): unknown },
  ended: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    if (ended.aborted) return resolve()
    out.once('drain', resolve)
    ended.addEventListener('abort', () => resolve(), { once: true })
  })
}
