import { randomUUID } from 'node:crypto'
import type { Failure } from '@daybook/api/failure'
import type { GraphQLDocument, ReadonlyInput } from '@daybook/api/graphql'
import * as queries from '@daybook/api/queries'
import { retrying } from '@daybook/client/retry/retrying'
import { backoffDelay } from '@daybook/runtime/backoff'
import { CliError, RefusedError, UnreachableError } from '../command-line.ts'
import type { Connection } from '../settings.ts'
import { request, succeeded } from './request.ts'

/** The help of `--idempotency-key`, the same for every command that has it. */
export const KEY_HELP = 'Makes it safe to run the same again: it takes effect once.'

/** How often a change is sent. After about 1 s a broken connection or a restarted daemon is back. */
const TRIES = 3

/**
 * Asks for a change, always with an idempotency key: the given one, or one made for this run. When an answer
 * is lost, the change is sent again and still takes effect once. The next command can read what was written,
 * unless the index is more than 5 s behind.
 *
 * @param variables returns the mutation's variables, with the key among them
 * @throws what `request` throws at the last try; RefusedError for a failure
 */
export async function mutate<Result extends object, Variables>(
  connection: Connection,
  mutation: GraphQLDocument<{ result: Result }, Variables>,
  variables: (idempotencyKey: string) => ReadonlyInput<Variables>,
  given?: string,
): Promise<Exclude<Result, Failure>> {
  const key = given ?? `cli:${randomUUID()}`
  const asked = retrying(() => request(connection, mutation, variables(key)), waitAfter)
  const result = succeeded(
    (
      await asked.catch((error: unknown) => {
        throw advised(error, given, key)
      })
    ).result,
  )
  // It is written, whatever becomes of this.
  if ('sequence' in result) await untilIndexed(connection, Number(result.sequence)).catch(() => {})
  return result
}

const LISTED = queries.memories('pageInfo { hasNextPage }')

/**
 * Waits until a sequence can be read. A key without READ may not ask.
 * @param tries how often it asks; the daemon itself waits 5 s each time. Default 1
 * @throws what `request` throws: RefusedError BEHIND if it cannot be read by then
 */
export async function untilIndexed(connection: Connection, sequence: number, tries = 1): Promise<void> {
  await retrying(
    () => request(connection, LISTED, { first: 1, atLeast: sequence }),
    (error, attempt) =>
      attempt < tries && error instanceof RefusedError && error.code === 'BEHIND' ? 0 : null,
  )
}

/** Null after the last try, and where trying again would not help. */
function waitAfter(error: unknown, attempt: number): number | null {
  const passing = isLost(error) || (error instanceof RefusedError && error.retryable)
  if (attempt >= TRIES || !passing) return null
  return Math.max(backoffDelay(attempt, { firstMs: 200, maxMs: 1_000 }), askedToWait(error))
}

/** The longest that a command waits because its key has asked for too much, in milliseconds. */
const LONGEST_WAIT_MS = 10_000

const askedToWait = (error: unknown): number =>
  error instanceof RefusedError ? Math.min(error.retryAfterMs ?? 0, LONGEST_WAIT_MS) : 0

/** Whether the request may have arrived. If nothing listens, it has not, and a retry would not help. */
const isLost = (error: unknown) => error instanceof UnreachableError && error.mayHaveArrived

/** If the outcome is still unknown, tells the user the key that was made for the change. */
function advised(error: unknown, given: string | undefined, key: string): unknown {
  if (given !== undefined || !(error instanceof CliError) || !isLost(error)) return error
  return new UnreachableError(
    error.message,
    [...error.hints, `Whether it was done is not known. Run it again with  --idempotency-key ${key}`],
    true,
  )
}
