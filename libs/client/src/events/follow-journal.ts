import { type GraphQLDocument, type ReadonlyInput, textOf, type VariablesOf } from '@daybook/api/graphql'
import type { events } from '@daybook/api/subscriptions'
import { backoffDelay, pause } from '@daybook/runtime/backoff'
import { createParser } from 'eventsource-parser'
import type { Calls } from '../calls/calls.ts'
import { DaybookClientError } from '../client-error.ts'
import { HEAD } from '../documents/memory.ts'
import { type Answer, type Connection, parseAnswer, readAnswer, unreachable } from '../http/request.ts'
import type { Receipt } from '../own-writes/own-writes.ts'
import type { MemoryFilter } from '../reads.ts'

/** What to follow, and from where. */
export interface EventsOptions {
  /**
   * The place after which to begin: 0 for all events, a sequence, or the last event that was processed, or a receipt. With the
   * hash of these, a journal that has lost its end is noticed (DIVERGED). Default: from now on.
   */
  readonly after?: number | Receipt | undefined
  /** Only events of memories that match. */
  readonly filter?: MemoryFilter | undefined
  /** Ends the iteration, without an error. */
  readonly signal?: AbortSignal | undefined
  /**
   * How long Daybook may say nothing before the connection counts as broken, in milliseconds. Default 30,000; it
   * sends a sign of life every 12,000.
   */
  readonly silenceMs?: number | undefined
  /**
   * Is told when the connection is there (null), and each time that it is lost or cannot be made: why. The iteration goes
   * on by itself, so this is only for showing it.
   */
  readonly onConnection?: ((lost: DaybookClientError | null) => void) | undefined
}

/** A subscription to the journal. It asks at least for each event's place, from which it goes on. */
type JournalSubscription<Event> = GraphQLDocument<
  { readonly events: Event },
  VariablesOf<ReturnType<typeof events<'id'>>>
>

/** What following needs. */
export interface Following {
  readonly connection: Connection
  readonly calls: Calls
  /** How long it tries before the first connection, in milliseconds. */
  readonly retryForMs: number
}

/** Waits before it connects again: the first at most 200 ms, none more than 5 s. */
const BACKOFF = { firstMs: 200, maxMs: 5_000 }

/** How long the server may say nothing before the connection counts as broken, in milliseconds. */
export const SILENCE_MS = 30_000

/**
 * Follows the journal across broken connections and restarts of the daemon, without a gap or a repeat:
 *
 *   finding the place ──▶ streaming after the last event given ──lost──▶ waiting ──▶ streaming …
 *
 * "From now on" becomes a sequence first, from which it can go on. A loss before the first connection ends it once
 * `retryForMs` is over; later it tries until it is connected again.
 * @throws DaybookClientError for what does not pass: UNAUTHENTICATED, DIVERGED, TOO_MANY_STREAMS, …
 */
export async function* followJournal<Event extends { readonly sequence: number; readonly hash: string }>(
  { connection, calls, retryForMs }: Following,
  document: JournalSubscription<Event>,
  {
    after,
    filter,
    signal = new AbortController().signal,
    silenceMs = SILENCE_MS,
    onConnection,
  }: EventsOptions = {},
): AsyncGenerator<Event, void> {
  const begun = performance.now()
  let started = false
  let attempt = 0
  const place = typeof after === 'number' ? { sequence: after, hash: null } : after
  let seen: { readonly sequence: number; readonly hash: string | null } | null = place ?? null
  const onConnected = () => {
    started = true
    attempt = 0
    onConnection?.(null)
  }
  while (!signal.aborted) {
    try {
      seen ??= { sequence: await readHead(calls, signal), hash: null }
      const variables = { after: seen.sequence, afterHash: seen.hash, filter }
      const stream = openSubscription(connection, document, variables, { signal, silenceMs, onConnected })
      for await (const { events: event } of stream) {
        seen = { sequence: event.sequence, hash: event.hash }
        yield event
        if (signal.aborted) return
      }
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof DaybookClientError) || !error.retryable) throw error
      if (!started && performance.now() - begun > retryForMs) throw error
      onConnection?.(error)
    }
    await pause(backoffDelay(attempt, BACKOFF), signal)
    attempt += 1
  }
}

async function readHead(calls: Calls, signal: AbortSignal): Promise<number> {
  const { projections } = await calls.read(HEAD, {}, { signal })
  return Math.max(0, ...projections.map(({ head }) => head))
}

/** How a subscription is opened. */
interface Opened {
  /** Ends it. */
  readonly signal: AbortSignal
  /** How long the server may say nothing, in milliseconds. It sends a sign of life every 12 s. */
  readonly silenceMs: number
  readonly onConnected: () => void
}

/**
 * One subscription on one connection: the protocol "GraphQL over Server-Sent Events" in its mode of distinct connections.
 * It is read no faster than the results are taken. It ends when the server completes it.
 * @throws DaybookClientError: UNREACHABLE where the connection breaks or falls silent
 */
export async function* openSubscription<Result, Variables>(
  connection: Omit<Connection, 'timeoutMs'>,
  document: GraphQLDocument<Result, Variables>,
  variables: ReadonlyInput<Variables>,
  { signal, silenceMs, onConnected }: Opened,
): AsyncGenerator<Result, void> {
  const silence = new AbortController()
  const ended = AbortSignal.any([signal, silence.signal])
  /** Waits for the server only: the time that the reader of the results takes does not count. */
  const heard = async <Heard>(hearing: Promise<Heard>): Promise<Heard> => {
    const timer = setTimeout(() => silence.abort(new DOMException('silent', 'TimeoutError')), silenceMs)
    try {
      return await hearing
    } catch (error) {
      throw unreachable(connection.url, silence.signal.aborted ? silence.signal.reason : error)
    } finally {
      clearTimeout(timer)
    }
  }
  const response = await heard(
    connection.fetch(`${connection.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...connection.headers },
      body: JSON.stringify({ query: textOf(document), variables }),
      redirect: 'manual',
      signal: ended,
    }),
  )
  if (response.body === null || response.headers.get('content-type')?.includes('text/event-stream') !== true)
    throw await refusalIn(connection.url, response, heard)
  onConnected()
  const reader = response.body.getReader()
  try {
    const decoder = new TextDecoder()
    const messages: { readonly event?: string | undefined; readonly data: string }[] = []
    const parser = createParser({ onEvent: (message) => messages.push(message) })
    for (;;) {
      const { done, value } = await heard(reader.read())
      if (done) return
      parser.feed(decoder.decode(value, { stream: true }))
      for (const { event, data } of messages.splice(0)) {
        if (event === 'complete') return
        if (event === 'next') yield resultIn(connection.url, data) as Result
      }
    }
  } finally {
    // Closes the connection; a reader that has failed is closed already.
    await reader.cancel().catch(() => undefined)
  }
}

/** Of a stream the status says nothing: it is 200 before the first result. */
const resultIn = (url: string, data: string): unknown =>
  readAnswer(url, { status: 200, retryAfter: null, answer: parseAnswer(data) })

async function refusalIn(
  url: string,
  response: Response,
  heard: <Heard>(hearing: Promise<Heard>) => Promise<Heard>,
): Promise<unknown> {
  const answer: Answer | null = parseAnswer(await heard(response.text()))
  try {
    readAnswer(url, { status: response.status, retryAfter: response.headers.get('retry-after'), answer })
  } catch (error) {
    return error
  }
  return new DaybookClientError('NOT_DAYBOOK', `What answers at ${url} sends no stream of events`)
}
