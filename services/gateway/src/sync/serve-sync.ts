import type { IncomingMessage } from 'node:http'
import { createGzip, constants as zlib } from 'node:zlib'
import { readTravellingVectors } from '@daybook/embeddings/travelling-vectors'
import { DaybookError, UnavailableError, ValidationError } from '@daybook/memory/errors'
import { isUuid } from '@daybook/memory/id'
import { safeLine } from '@daybook/memory/safe-text'
import { characters, oneLine } from '@daybook/memory/text-rules'
import type { Access, Scope } from '@daybook/postgres/access/api-keys'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import { sendJson } from '@daybook/runtime/probes'
import { decideCommands } from '@daybook/sync/home/decide-commands'
import { noteFollower } from '@daybook/sync/home/followers'
import { handOver, handOverAsked } from '@daybook/sync/home/hand-over'
import { lastOfPlaces, placesAsked, readHomeInfo } from '@daybook/sync/home/home-state'
import { streamJournal } from '@daybook/sync/home/stream-journal'
import { sentCommands } from '@daybook/sync/wire/sent-command'
import { vectorsAsked } from '@daybook/sync/wire/vectors'
import { z } from 'zod'
import type { GatewayParts } from '../context.ts'
import { failureOf, sendFailure, whyEnded } from '../http/failure.ts'
import { type KnownExchange, readHeader, readJson } from '../http/request-context.ts'

/** The largest body with commands, in bytes, and that of all others. */
const COMMANDS_BYTES = 16 * 1024 * 1024

const BODY_BYTES = 64 * 1024

/** A question of a follower that is answered at once. */
export interface Question<T = unknown> {
  readonly needs: readonly Scope[]
  readonly form: z.ZodType<T>
  answer(parts: GatewayParts, scope: ProjectScope, access: Access, body: T): Promise<object>
}

const question = <T>(one: Question<T>): Question => one

const eraseAsked = z.strictObject({
  memoryIds: z.array(z.uuid()).min(1).max(200),
  correlationId: z.string().max(255).nullable(),
  causationId: z.string().max(255).nullable(),
})

/** All of them, by path. Each is posted, and needs a key that may follow the project, besides. */
export const QUESTIONS: Readonly<Record<string, Question>> = {
  '/sync/hello': question({
    needs: ['read'],
    form: z.strictObject({}),
    answer: (_, scope) => readHomeInfo(scope),
  }),
  '/sync/common': question({
    needs: ['read'],
    form: placesAsked,
    answer: (_, scope, __, { places }) => lastOfPlaces(scope, places),
  }),
  '/sync/vectors': question({
    needs: ['read'],
    form: vectorsAsked,
    answer: async (_, scope, __, { modelId, hashes }) => ({
      texts: await readTravellingVectors(scope, modelId, hashes),
    }),
  }),
  '/sync/commands': question({
    needs: ['write'],
    form: sentCommands,
    answer: async ({ writer }, scope, access, { commands }) => ({
      decided: await decideCommands(writer, scope, access, commands),
    }),
  }),
  '/sync/erase': question({
    needs: ['write', 'admin'],
    form: eraseAsked,
    answer: async ({ writer }, scope, { keyName }, { memoryIds, ...why }) =>
      writer.erase(scope, memoryIds, { actor: keyName, ...why }),
  }),
  '/sync/hand-over': question({
    needs: ['write', 'admin'],
    form: handOverAsked,
    answer: async ({ config, sync }, scope, { admin }, asked) => {
      const next = { allowed: config.nextHomes, byAdministrator: admin }
      const answer = await handOver(scope, asked, next)
      if (answer.handedOver) sync?.look()
      return answer
    },
  }),
}

/**
 * Answers a question of a follower.
 * @throws DaybookError FORBIDDEN; ValidationError if the body has not the question's form
 */
export async function answerQuestion(
  parts: GatewayParts,
  { form, answer }: Question,
  { request, response, target: { path }, access, closing }: KnownExchange,
): Promise<void> {
  const scope = followedScope(parts, access, path)
  const body = await readJson(request, path === '/sync/commands' ? COMMANDS_BYTES : BODY_BYTES)
  const checked = form.safeParse(body)
  if (!checked.success) {
    const [issue] = checked.error.issues
    throw new ValidationError((issue?.path ?? []).join('.') || 'body', issue?.message ?? 'is no JSON')
  }
  if (closing.aborted) throw new UnavailableError('This Daybook is being stopped: ask again')
  sendJson(response, 200, await answer(parts, scope, access, checked.data))
}

/** @throws DaybookError FORBIDDEN, ValidationError if the request names no project */
function followedScope({ db }: GatewayParts, access: Access, path: string): ProjectScope {
  if (!access.scopes.has('follow') && !access.scopes.has('admin'))
    throw new DaybookError(
      'FORBIDDEN',
      `"${path}" needs a key with the scope FOLLOW, which lets another Daybook copy the whole journal of the project: daybook keys create --scope read,write,follow`,
    )
  if (access.projectId === null)
    throw new ValidationError(
      'X-Daybook-Project',
      'is missing: say which project is followed, by its name or id',
    )
  return projectScope(db, access.projectId)
}

/** Milliseconds between two notes of how far a follower is. */
const NOTE_MS = 5_000

/** The most characters of a follower's name that are kept. */
const NAME_CHARACTERS = 120

/**
 * `GET /sync/journal?sequence=…&hash=…`: the project's journal after an event, as lines (`@daybook/sync/wire/stream-line`),
 * without an end; compressed if the follower takes gzip. It is read no faster than the follower takes it. An error before
 * the first line has an HTTP status of its own; a later one is the last line.
 */
export async function streamToFollower(
  parts: GatewayParts,
  { request, response, target: { path, query }, access, closing }: KnownExchange,
): Promise<void> {
  const { logger, news } = parts
  const scope = followedScope(parts, access, path)
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
