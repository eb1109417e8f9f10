import type { GraphQLDocument, VariablesOf } from '@daybook/api/graphql'
import { backoffDelay, pause } from '@daybook/runtime/backoff'
import type { Calls } from '../calls/calls.ts'
import { DaybookClientError } from '../client-error.ts'
import type { EVENTS } from '../documents/events.ts'
import { HEAD } from '../documents/head.ts'
import type { Connection } from '../http/connection.ts'
import type { Receipt } from '../own-writes/own-writes.ts'
import type { MemoryFilter } from '../reads.ts'
import { openStream } from './open-stream.ts'

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
}

/** A subscription to the journal. It asks at least for each event's place, from which it goes on. */
export type JournalSubscription<Event> = GraphQLDocument<
  { readonly events: Event },
  VariablesOf<typeof EVENTS>
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

const SILENCE_MS = 30_000

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
  { after, filter, signal = new AbortController().signal, silenceMs = SILENCE_MS }: EventsOptions = {},
): AsyncGenerator<Event, void> {
  const begun = performance.now()
  let started = false
  let attempt = 0
  const place = typeof after === 'number' ? { sequence: after, hash: null } : after
  let seen: { readonly sequence: number; readonly hash: string | null } | null = place ?? null
  const onConnected = () => {
    started = true
    attempt = 0
  }
  while (!signal.aborted) {
    try {
      seen ??= { sequence: await readHead(calls, signal), hash: null }
      const variables = { after: seen.sequence, afterHash: seen.hash, filter }
      const stream = openStream(connection, document, variables, { signal, silenceMs, onConnected })
      for await (const { events: event } of stream) {
        seen = { sequence: event.sequence, hash: event.hash }
        yield event
        if (signal.aborted) return
      }
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof DaybookClientError) || !error.retryable) throw error
      if (!started && performance.now() - begun > retryForMs) throw error
    }
    await pause(backoffDelay(attempt, BACKOFF), signal)
    attempt += 1
  }
}

async function readHead(calls: Calls, signal: AbortSignal): Promise<number> {
  const { projections } = await calls.read(HEAD, {}, { signal })
  return Math.max(0, ...projections.map(({ head }) => head))
}
