import type { GraphQLDocument, ReadonlyInput } from '@daybook/api/graphql'
import { createCalls } from './calls/calls.ts'
import { followEvents, type MemoryEvent } from './events/follow-events.ts'
import type { EventsOptions } from './events/follow-journal.ts'
import { type ConnectionOptions, openConnection, type RequestOptions, request } from './http/request.ts'
import { createOwnWrites, READABLE } from './own-writes/own-writes.ts'
import { createReads, type Reads } from './reads.ts'
import { createWrites, type Writes } from './writes.ts'

/** How to open a Daybook. */
export interface ClientOptions extends ConnectionOptions {
  /** The context of what is remembered and indexed, unless an input says another one (null: none). Reads are not limited to it. */
  readonly context?: string | undefined
  /** How long a method may go on sending again after a failure that passes, in milliseconds. Default 10,000; 0: it sends once. */
  readonly retryForMs?: number | undefined
  /** Whether reads wait for this client's own writes. Default true. */
  readonly readYourWrites?: boolean | undefined
}

/** One project of a Daybook, as a program uses it. */
export interface DaybookClient extends Reads, Writes {
  /**
   * Sends any operation of the API once, typed by its document (`graphql` of `@daybook/api/graphql`).
   * @throws DaybookClientError; the signal's reason
   */
  request<Result, Variables>(
    document: GraphQLDocument<Result, Variables>,
    variables: ReadonlyInput<Variables>,
    options?: RequestOptions,
  ): Promise<Result>
  /**
   * The project's events in order, and then live, each once, across broken connections and restarts of the daemon.
   * Leaving the loop ends the subscription.
   * @throws DaybookClientError for what does not pass, such as DIVERGED or UNAUTHENTICATED
   */
  events(options?: EventsOptions): AsyncIterable<MemoryEvent>
}

const RETRY_FOR_MS = 10_000

/**
 * Opens one project of a Daybook. Nothing is sent until the first call, and nothing has to be closed.
 * @throws DaybookClientError VALIDATION for an option that cannot be right
 */
export function createClient(options: ClientOptions): DaybookClient {
  const connection = openConnection(options)
  const { retryForMs = RETRY_FOR_MS } = options
  const calls = createCalls(connection, retryForMs)
  const ownWrites = createOwnWrites(options.readYourWrites ?? true, (place) =>
    calls.read(READABLE, { id: '', ...place }),
  )
  const send: DaybookClient['request'] = (document, variables, sent) =>
    request(connection, document, variables, sent)
  return {
    request: send,
    events: (followed) => followEvents({ connection, calls, retryForMs }, followed),
    ...createReads(calls, ownWrites),
    ...createWrites({ calls, ownWrites, defaults: options, request: send }),
  }
}
