import type { Failure } from '@daybook/api/failure'
import type { GraphQLDocument, ReadonlyInput } from '@daybook/api/graphql'
import { createCalls, succeeded } from '@daybook/client/calls/calls'
import { DaybookClientError } from '@daybook/client/client-error'
import { type EventsOptions, followJournal } from '@daybook/client/events/follow-journal'
import { openConnection, type RequestOptions, request } from '@daybook/client/http/request'

import { EVENTS, type JournalEvent } from './events.ts'

/** How long a call goes on sending after a failure that passes, in milliseconds. A page shows what is wrong after that. */
const RETRY_FOR_MS = 3_000

let daybook = openDaybook(undefined)

function openDaybook(project: string | undefined) {
  const connection = openConnection({
    url: location.origin,
    apiKey: null,
    project,
    userAgent: 'daybook-console',
  })
  return { connection, calls: createCalls(connection, RETRY_FOR_MS) }
}

/** From now on all operations are about this project, by its name. */
export function useProject(project: string | null): void {
  daybook = openDaybook(project ?? undefined)
}

const whenOver = new Set<() => void>()

/** Calls back when an operation was refused because the session is over. @returns a function that ends that */
export function onSessionOver(tell: () => void): () => void {
  whenOver.add(tell)
  return () => void whenOver.delete(tell)
}

/**
 * Asks for something. Passing failures are tried again for 3 s.
 * @throws DaybookClientError; the signal's reason
 */
export const read = <Result, Variables>(
  document: GraphQLDocument<Result, Variables>,
  variables: ReadonlyInput<Variables>,
  options?: RequestOptions,
): Promise<Result> => noticing(daybook.calls.read(document, variables, options))

/** Makes a change, once, though an answer is lost: all attempts share a key. @throws DaybookClientError */
export const change = <Result extends object, Variables>(
  document: GraphQLDocument<{ result: Result }, Variables>,
  variables: (idempotencyKey: string) => ReadonlyInput<Variables>,
): Promise<Exclude<Result, Failure>> =>
  noticing(daybook.calls.change(document, variables, ({ result }) => succeeded(result)))

/**
 * Follows the project's journal, across broken connections, without a gap or a repeat. Each open stream takes one of the
 * six connections that a browser has to a host, so end it while nobody looks (`useVisible`).
 * @throws DaybookClientError for what does not pass
 */
export async function* follow(options: EventsOptions): AsyncGenerator<JournalEvent, void> {
  try {
    yield* followJournal({ ...daybook, retryForMs: RETRY_FOR_MS }, EVENTS, options)
  } catch (error) {
    throw noticed(error)
  }
}

/**
 * Makes a change that takes no key which would tell a repetition, such as a new API key: it is sent once, and a lost answer
 * is an error.
 * @throws DaybookClientError
 */
export const changeOnce = async <Result extends object, Variables>(
  document: GraphQLDocument<{ result: Result }, Variables>,
  variables: ReadonlyInput<Variables>,
): Promise<Exclude<Result, Failure>> =>
  succeeded((await noticing(request(daybook.connection, document, variables))).result)

async function noticing<Result>(call: Promise<Result>): Promise<Result> {
  try {
    return await call
  } catch (error) {
    throw noticed(error)
  }
}

function noticed(error: unknown): unknown {
  if (error instanceof DaybookClientError && error.code === 'UNAUTHENTICATED')
    for (const tell of whenOver) tell()
  return error
}
