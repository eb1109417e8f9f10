import { InvalidExportError, parseEventLine } from '@daybook/journal/import/parse-line'
import { DaybookError, UnavailableError } from '@daybook/memory/errors'
import type { JournalCursor } from '@daybook/memory/events'
import { LONGEST_LINE, readLines } from '@daybook/runtime/read-lines'
import { reasonOf } from '@daybook/runtime/reason-of'
import { VERSION } from '@daybook/runtime/version'
import { z } from 'zod'
import { type Decided, decidedCommands, type SentCommand } from '../wire/sent-command.ts'
import { HEARTBEAT_MS, parseJson, parseStreamLine, type StreamLine } from '../wire/stream-line.ts'
import { fromWire, wireError } from '../wire/wire-error.ts'
import type { HomeAddress } from './followed-projects.ts'
import { NeedsPerson } from './state-after.ts'

/** After so many milliseconds without a line the home counts as lost. */
const SILENT_MS = 3 * HEARTBEAT_MS
/** The same before the first line, which a home has at once: one that is back is not found while another try hangs. */
const FIRST_MS = 5_000

const KIB = 1024
/**
 * Milliseconds for an answer, and the most bytes in it, by question. Each is far above what a home has to say: 500 receipts
 * are 150 kB, and the vectors of 200 texts some 700 kB, those of 200 large parts of documents 15 MB.
 */
const ANSWERS = {
  hello: { ms: 5_000, bytes: 64 * KIB },
  common: { ms: 5_000, bytes: 64 * KIB },
  commands: { ms: 5_000, bytes: 2 * KIB * KIB },
  vectors: { ms: 20_000, bytes: 16 * KIB * KIB },
  erase: { ms: 60_000, bytes: 16 * KIB * KIB },
  'hand-over': { ms: 15_000, bytes: 64 * KIB },
} as const
/** The most bytes of an answer that refuses. */
const REFUSAL_BYTES = 64 * KIB

/**
 * What a follower asks of a project's home, over HTTP. Every call throws UnavailableError if the home does not answer, and
 * NeedsPerson if it answers with more than a home has to say.
 */
export interface HomeClient {
  /**
   * The home's lines after a place, without an end.
   * @throws DaybookError DIVERGED if the home does not have the place; UNAUTHENTICATED, FORBIDDEN, …
   */
  stream(after: JournalCursor, signal: AbortSignal): AsyncGenerator<StreamLine, void>
  /** Has commands decided, together and in order. */
  decide(commands: readonly SentCommand[], signal?: AbortSignal): Promise<readonly Decided[]>
  /** Asks `POST /sync/<what>`. The answer has the given form. */
  ask<T>(what: keyof typeof ANSWERS, body: object, form: z.ZodType<T>, signal?: AbortSignal): Promise<T>
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
  const ask: HomeClient['ask'] = async (what, body, form, signal) => {
    const { ms, bytes } = ANSWERS[what]
    const asking = new AbortController()
    const end = () => asking.abort()
    const timer = setTimeout(() => asking.abort(new DOMException('', 'TimeoutError')), ms)
    signal?.addEventListener('abort', end)
    if (signal?.aborted === true) end()
    try {
      const response = await send(`/sync/${what}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: asking.signal,
      })
      const parsed = form.safeParse(parseJson(await readText(url, response, bytes)))
      if (!parsed.success) throw new UnavailableError(`${url} answered what is no answer to this question`)
      return parsed.data
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
    }
  }
  return {
    ask,
    async decide(commands, signal) {
      const { decided } = await ask('commands', { commands }, decidedCommands, signal)
      if (decided.length !== commands.length)
        throw new UnavailableError(`${url} answered ${decided.length} of ${commands.length} commands`)
      return decided
    },
    async *stream(after, signal) {
      // One controller, held by the listener: what AbortSignal.any makes may be collected while it is waited for (Node 20).
      const broken = new AbortController()
      const end = () => broken.abort()
      if (signal.aborted) return
      signal.addEventListener('abort', end, { once: true })
      let silentMs: number | null = null
      // Only while a line is waited for: what takes long here says nothing about the home.
      let timer: NodeJS.Timeout | undefined
      const listen = (mostMs: number) =>
        (timer = setTimeout(() => {
          silentMs = mostMs
          broken.abort()
        }, mostMs))
      try {
        const query = new URLSearchParams({ sequence: String(after.sequence), hash: after.hash })
        listen(FIRST_MS)
        const { body } = await send(`/sync/journal?${query.toString()}`, { headers, signal: broken.signal })
        if (body === null) return
        let unread = 0
        const counted = async function* () {
          for await (const chunk of body as AsyncIterable<Uint8Array>) {
            unread += chunk.byteLength
            // A line that is skipped would go on for ever.
            if (unread > LONGEST_LINE + chunk.byteLength) throw tooMuch(url, LONGEST_LINE, 'in a line')
            yield chunk
          }
        }
        for await (const { number, text, problem } of readLines(counted())) {
          unread = 0
          clearTimeout(timer)
          if (text === null && problem.startsWith('is too long'))
            throw tooMuch(url, LONGEST_LINE, 'in a line')
          if (text === null) throw new UnavailableError(`line ${number} of the home's stream ${problem}`)
          yield toLine(number, text)
          listen(SILENT_MS)
        }
      } catch (error) {
        if (signal.aborted || (silentMs === null && error instanceof DaybookError)) throw error
        const why = silentMs === null ? whyNot(error) : `nothing was heard for ${silentMs / 1_000} s`
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
  const size = text.length
  if (!text.startsWith('{"event":')) return { ...parseStreamLine(text), size }
  try {
    return { event: parseEventLine(number, text), size }
  } catch (error) {
    if (!(error instanceof InvalidExportError)) throw error
    // A line that a broken connection cut is no event either.
    throw new UnavailableError(`the home's stream: ${error.message}`, { cause: error })
  }
}

const failure = z.object({
  errors: z.array(z.object({ message: wireError.shape.message, extensions: wireError.partial().optional() })),
})

const ITS_WORDS = ''
/**
 * What is told of a refusal, by code. Other servers have these codes too, and what they say must not be shown to whoever
 * named their address; only refusals that no other server has are in the home's words.
 */
const REFUSALS: Readonly<Record<string, string>> = {
  UNAUTHENTICATED: 'the key is not valid there: it may be mistyped, expired or revoked',
  FORBIDDEN:
    'the key may not do this there: to follow, it needs READ and the scope FOLLOW in the project, to write WRITE, too, and to hand over ADMIN (daybook keys create --scope read,write,follow)',
  NOT_FOUND: 'there is no such project, or the key does not open it',
  PROJECT_DELETED: 'the project was deleted there for good',
  REFUSED: ITS_WORDS,
  VALIDATION: ITS_WORDS,
  DIVERGED: ITS_WORDS,
  QUARANTINED: ITS_WORDS,
  CORRUPT_JOURNAL: ITS_WORDS,
}

async function refusal(url: string, response: Response): Promise<DaybookError> {
  const text = await readText(url, response, REFUSAL_BYTES)
  // Else it is a proxy's page, or nothing: the status says what there is to say.
  const said = failure.safeParse(parseJson(text)).data?.errors[0]
  const code = said?.extensions?.code
  const known = code === undefined ? undefined : REFUSALS[code]
  if (said === undefined || code === undefined || known === undefined)
    return new UnavailableError(`${url} answered with HTTP ${response.status}`)
  return fromWire({ ...said.extensions, code, message: known === ITS_WORDS ? said.message : known })
}

const tooMuch = (url: string, bytes: number, where: string) =>
  new NeedsPerson(
    `${url} sent more than ${bytes} bytes ${where}, which no home does. Look whether it is the home, and go on: daybook sync resume`,
  )

/** @throws NeedsPerson if it is longer than `most` bytes; UnavailableError if it breaks off */
async function readText(url: string, { body }: Response, most: number): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  try {
    for await (const part of (body ?? []) as AsyncIterable<Uint8Array>) {
      size += part.byteLength
      if (size > most) throw tooMuch(url, most, 'in an answer')
      parts.push(part)
    }
  } catch (error) {
    if (error instanceof DaybookError) throw error
    throw new UnavailableError(`${url} broke off its answer: ${whyNot(error)}`, { cause: error })
  }
  return Buffer.concat(parts).toString('utf8')
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
