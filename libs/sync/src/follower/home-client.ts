import { InvalidExportError } from '@daybook/journal/import/import-errors'
import { parseEventLine } from '@daybook/journal/import/parse-line'
import { DaybookError, UnavailableError } from '@daybook/memory/errors'
import type { JournalCursor } from '@daybook/memory/events'
import { readLines } from '@daybook/runtime/read-lines'
import { reasonOf } from '@daybook/runtime/reason-of'
import { VERSION } from '@daybook/runtime/version'
import { z } from 'zod'
import { type Decided, decidedCommands, type SentCommand } from '../wire/sent-command.ts'
import { HEARTBEAT_MS, parseStreamLine, type StreamLine } from '../wire/stream-line.ts'
import { fromWire, wireError } from '../wire/wire-error.ts'
import type { HomeAddress } from './followed-projects.ts'

/** The longest line that is read, in bytes; no event within today's limits is that long. */
const LONGEST_LINE = 16 * 1024 * 1024
/** After so many milliseconds without a line the home counts as lost. */
const SILENT_MS = 3 * HEARTBEAT_MS
/** Milliseconds for an answer to anything but the stream. */
const ANSWER_MS = 5_000

/** What a follower asks of a project's home, over HTTP. Every call throws UnavailableError if the home does not answer. */
export interface HomeClient {
  /**
   * The home's lines after a place, without an end.
   * @throws DaybookError DIVERGED if the home does not have the place; UNAUTHENTICATED, FORBIDDEN, …
   */
  stream(after: JournalCursor, signal: AbortSignal): AsyncGenerator<StreamLine, void>
  /** Has commands decided, together and in order. */
  decide(commands: readonly SentCommand[]): Promise<readonly Decided[]>
  /** Asks `POST /sync/<what>`. The answer has the given form. */
  ask<T>(what: string, body: object, form: z.ZodType<T>, timeoutMs?: number): Promise<T>
}

/** Who asks. */
export interface FollowerIdentity {
  readonly projectId: string
  readonly followerId: string
  /** As operators of the home see it, such as the machine's name. */
  readonly name: string
}

/** Makes clients of homes, in the name of this Daybook. */
export type HomeOf = (followed: {
  readonly home: HomeAddress
  readonly projectId: string
  readonly followerId: string
}) => HomeClient

/** Clients in the name of this Daybook, as operators of homes see it. */
export const homesAs =
  (name: string): HomeOf =>
  ({ home, projectId, followerId }) =>
    createHomeClient(home, { projectId, followerId, name })

/** Creates a client of one project's home. It opens nothing yet. */
export function createHomeClient(
  { url, key }: HomeAddress,
  { projectId, followerId, name }: FollowerIdentity,
  call: typeof fetch = fetch,
): HomeClient {
  const headers = {
    authorization: `Bearer ${key}`,
    // The caller may have named it.
    'x-daybook-project': encodeURIComponent(projectId),
    'x-daybook-client': `daybook/${VERSION}`,
    // Between two processes of one machine, packing costs more than it saves.
    ...(isLoopback(url) && { 'accept-encoding': 'identity' }),
    'x-daybook-follower': followerId,
    'x-daybook-follower-name': encodeURIComponent(name),
  }
  const send = async (path: string, init: RequestInit): Promise<Response> => {
    const response = await call(`${url}${path}`, { redirect: 'error', ...init }).catch((error: unknown) => {
      throw new UnavailableError(`${url} does not answer: ${whyNot(error)}`, { cause: error })
    })
    if (!response.ok) throw await refusal(url, response)
    return response
  }
  const ask: HomeClient['ask'] = async (what, body, form, timeoutMs = ANSWER_MS) => {
    const response = await send(`/sync/${what}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    })
    const answer: unknown = await response.json().catch((error: unknown) => {
      throw new UnavailableError(`${url} broke off its answer: ${whyNot(error)}`, { cause: error })
    })
    const parsed = form.safeParse(answer)
    if (!parsed.success) throw new UnavailableError(`${url} answered what is no answer to this question`)
    return parsed.data
  }
  return {
    ask,
    async decide(commands) {
      const { decided } = await ask('commands', { commands }, decidedCommands)
      if (decided.length !== commands.length)
        throw new UnavailableError(`${url} answered ${decided.length} of ${commands.length} commands`)
      return decided as unknown as readonly Decided[]
    },
    async *stream(after, signal) {
      // One controller, held by the listener: what AbortSignal.any makes may be collected while it is waited for (Node 20).
      const broken = new AbortController()
      const end = () => broken.abort()
      if (signal.aborted) return
      signal.addEventListener('abort', end, { once: true })
      let silent = false
      // Only while a line is waited for: what takes long here says nothing about the home.
      let timer: NodeJS.Timeout | undefined
      const listen = () =>
        (timer = setTimeout(() => {
          silent = true
          broken.abort()
        }, SILENT_MS))
      try {
        const query = new URLSearchParams({ sequence: String(after.sequence), hash: after.hash })
        listen()
        const { body } = await send(`/sync/journal?${query.toString()}`, { headers, signal: broken.signal })
        if (body === null) return
        for await (const { number, text, problem } of readLines(
          body as AsyncIterable<Uint8Array>,
          LONGEST_LINE,
        )) {
          clearTimeout(timer)
          if (text === null) throw new UnavailableError(`line ${number} of the home's stream ${problem}`)
          yield toLine(number, text)
          listen()
        }
      } catch (error) {
        if (error instanceof DaybookError || signal.aborted) throw error
        const why = silent ? `nothing was heard for ${SILENT_MS / 1_000} s` : whyNot(error)
        throw new UnavailableError(`${url} broke off: ${why}`, { cause: error })
      } finally {
        clearTimeout(timer)
        signal.removeEventListener('abort', end)
      }
    },
  }
}

const isLoopback = (url: string): boolean =>
  /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/u.test(new URL(url).hostname)

function toLine(number: number, text: string): StreamLine {
  if (!text.startsWith('{"event":')) return parseStreamLine(text)
  try {
    return { event: parseEventLine(number, text), size: text.length }
  } catch (error) {
    if (!(error instanceof InvalidExportError)) throw error
    // A line that a broken connection cut is no event either.
    throw new UnavailableError(`the home's stream: ${error.message}`, { cause: error })
  }
}

const failure = z.object({
  errors: z.array(z.object({ message: z.string(), extensions: wireError.partial().optional() })),
})

async function refusal(url: string, response: Response): Promise<DaybookError> {
  const text = await response.text().catch(() => '')
  let said: z.infer<typeof failure>['errors'][number] | undefined
  try {
    said = failure.parse(JSON.parse(text)).errors[0]
  } catch {
    // A proxy's page, or nothing: the status says what there is to say.
  }
  const code = said?.extensions?.code
  if (said === undefined || code === undefined || code === 'INTERNAL')
    return new UnavailableError(
      `${url} answered with HTTP ${response.status}${said === undefined ? '' : `: ${said.message}`}`,
    )
  return fromWire({ ...said.extensions, code, message: said.message })
}

/** What undici throws says little; its cause says why. */
function whyNot(error: unknown): string {
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'no answer in time'
  const { cause } = error as { cause?: unknown }
  // How undici ends a second try after HTTP 421.
  if ((cause as { code?: unknown } | undefined)?.code === 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH')
    return 'it is not asked by this name there: add it to DAYBOOK_ALLOWED_HOSTS at the home'
  return cause === undefined ? reasonOf(error) : reasonOf(cause)
}
