import type { IncomingMessage, ServerResponse } from 'node:http'
import { readTravellingVectors } from '@daybook/embeddings/travelling-vectors'
import { DaybookError, UnavailableError, ValidationError } from '@daybook/memory/errors'
import type { Access } from '@daybook/postgres/access/api-keys'
import type { Scope } from '@daybook/postgres/access/scopes'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import type { RequestTarget } from '@daybook/runtime/http/request-target'
import { sendJson } from '@daybook/runtime/probes'
import { lastOfPlaces, placesAsked } from '@daybook/sync/home/common-place'
import { decideCommands } from '@daybook/sync/home/decide-commands'
import { handOver, handOverAsked } from '@daybook/sync/home/hand-over'
import { readHomeInfo } from '@daybook/sync/home/home-info'
import { sentCommands } from '@daybook/sync/wire/sent-command'
import { vectorsAsked } from '@daybook/sync/wire/vectors'
import { z } from 'zod'
import { requireScopes } from '../http/check-scopes.ts'
import { discardBody } from '../http/discard-body.ts'
import { sendError } from '../http/json-response.ts'
import type { GatewayParts } from '../parts.ts'
import type { JournalNews } from '../subscriptions/journal-news.ts'
import { readBody } from './read-body.ts'
import { streamToFollower } from './stream-to-follower.ts'

/** Answers followers, below `/sync/`. */
export type AnswerSync = (
  request: IncomingMessage,
  response: ServerResponse,
  target: RequestTarget,
  asked: { readonly access: Access; readonly closing: AbortSignal },
) => Promise<void>

/** The largest body with commands, in bytes, and that of all others. */
const COMMANDS_BYTES = 16 * 1024 * 1024
const BODY_BYTES = 64 * 1024

/** A question of a follower that is answered at once. */
interface Question<T = unknown> {
  readonly needs: readonly Scope[]
  readonly form: z.ZodType<T>
  readonly answer: (
    parts: GatewayParts,
    scope: ProjectScope,
    access: Access,
    body: T,
    onHandedOver: () => void,
  ) => Promise<object>
}

const question = <T>(one: Question<T>): Question => one as unknown as Question

const eraseAsked = z.strictObject({
  memoryIds: z.array(z.uuid()).min(1).max(200),
  correlationId: z.string().max(255).nullable(),
  causationId: z.string().max(255).nullable(),
})

/** All of them, by path. Each needs a key that may follow the project, besides. */
const QUESTIONS: Readonly<Record<string, Question>> = {
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
    answer: async ({ config }, scope, { admin }, asked, onHandedOver) => {
      const next = { allowed: config.nextHomes, byAdministrator: admin }
      const answer = await handOver(scope, asked, next)
      if (answer.handedOver) onHandedOver()
      return answer
    },
  }),
}

/** Creates the answers to followers. @param onHandedOver called when a project follows another home from now on */
export function serveSync(
  parts: GatewayParts,
  { news, onHandedOver }: { readonly news: JournalNews; readonly onHandedOver: () => void },
): AnswerSync {
  return async (request, response, { path, query }, { access, closing }) => {
    const asked = QUESTIONS[path]
    const isStream = path === '/sync/journal'
    if (asked === undefined && !isStream) {
      sendError(response, 404, 'NOT_FOUND', `There is nothing at ${path}`)
      return discardBody(request)
    }
    const method = isStream ? 'GET' : 'POST'
    if (request.method !== method) {
      sendError(response, 405, 'METHOD_NOT_ALLOWED', `${path} takes ${method} only`, { allow: method })
      return discardBody(request)
    }
    requireScopes(
      access,
      (asked?.needs ?? ['read']).map((scope) => ({ scope, field: path })),
    )
    const scope = followedScope(parts, access, path)
    if (asked === undefined)
      return streamToFollower(parts, news, { request, response, query, scope, access, closing })
    const checked = asked.form.safeParse(
      await readBody(request, path === '/sync/commands' ? COMMANDS_BYTES : BODY_BYTES),
    )
    if (!checked.success) {
      const [issue] = checked.error.issues
      throw new ValidationError((issue?.path ?? []).join('.') || 'body', issue?.message ?? 'is no JSON')
    }
    if (closing.aborted) throw new UnavailableError('This Daybook is being stopped: ask again')
    sendJson(response, 200, await asked.answer(parts, scope, access, checked.data, onHandedOver))
  }
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
