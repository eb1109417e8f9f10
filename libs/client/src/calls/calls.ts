import { type Failure, fieldOf, isFailure } from '@daybook/api/failure'
import type { GraphQLDocument, ReadonlyInput } from '@daybook/api/graphql'
import { DaybookClientError } from '../client-error.ts'
import { type Connection, type RequestOptions, request } from '../http/request.ts'
import { newIdempotencyKey, retrying, waitAfter } from '../retry/retrying.ts'

/** How a change is sent. */
export interface ChangeOptions extends RequestOptions {
  /** Of one's own, to make the same change again later: it takes effect once. Default: one for this call. */
  readonly idempotencyKey?: string | undefined
}

/** Sends the operations of all methods, again where that helps. */
export interface Calls {
  /** @throws DaybookClientError; the signal's reason */
  read<Result, Variables>(
    document: GraphQLDocument<Result, Variables>,
    variables: ReadonlyInput<Variables>,
    options?: RequestOptions,
  ): Promise<Result>
  /**
   * Sends a change with a key that all its attempts share, so that it takes effect once though an answer is lost.
   * @param read takes the result out of the answer; a failure that `succeeded` throws may be sent again as well
   * @throws DaybookClientError; its `details.idempotencyKey` is the key, if the outcome is not known. The signal's
   * reason
   */
  change<Result, Variables, Read>(
    document: GraphQLDocument<Result, Variables>,
    variables: (idempotencyKey: string) => ReadonlyInput<Variables>,
    read: (result: Result) => Read,
    options?: ChangeOptions,
  ): Promise<Read>
}

/** @param retryForMs how long a call may go on sending, in milliseconds */
export function createCalls(connection: Connection, retryForMs: number): Calls {
  return {
    read: (document, variables, options = {}) =>
      retrying(
        () => request(connection, document, variables, options),
        waitAfter(retryForMs),
        options.signal,
      ),
    async change(document, variables, read, options = {}) {
      const key = options.idempotencyKey ?? newIdempotencyKey()
      const given = variables(key)
      try {
        return await retrying(
          async () => read(await request(connection, document, given, options)),
          waitAfter(retryForMs),
          options.signal,
        )
      } catch (error) {
        throw withKey(error, key)
      }
    },
  }
}

function withKey(error: unknown, idempotencyKey: string): unknown {
  if (!(error instanceof DaybookClientError) || !error.mayHaveArrived) return error
  const { code, message, details, cause, ...reason } = error
  return new DaybookClientError(
    code,
    `${message}. Whether the change was made is not known; the same call with its idempotencyKey makes it once`,
    {
      ...reason,
      details: { ...details, idempotencyKey },
      cause,
    },
  )
}

/** Limits below which a project is again in a moment. */
const PASSING_LIMITS: ReadonlySet<unknown> = new Set(['requestsPerSecond', 'queuedTexts'])

/** Returns a result that is a success. @throws DaybookClientError if it is a failure */
export function succeeded<Result extends object>(result: Result): Exclude<Result, Failure> {
  if (isFailure(result)) throw failureOf(result)
  return result as Exclude<Result, Failure>
}

/** The error for an expected failure. */
export function failureOf({
  code,
  message,
  ...failure
}: Failure & { readonly field?: string }): DaybookClientError {
  const { field: _field, __typename, ...details } = failure as Record<string, unknown>
  return new DaybookClientError(code, message, {
    field: fieldOf({ code, message, ...failure }),
    retryable: ['UNAVAILABLE', 'BUSY'].includes(code) || PASSING_LIMITS.has(details['limit']),
    details,
  })
}
