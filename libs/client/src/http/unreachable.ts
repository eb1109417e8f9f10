import { DaybookClientError } from '../client-error.ts'

/** Why no answer came, by the system's code. */
export const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'its host name cannot be looked up',
  ECONNRESET: 'the connection broke',
  UND_ERR_SOCKET: 'the connection broke',
  ETIMEDOUT: 'it did not answer in time',
  UND_ERR_CONNECT_TIMEOUT: 'it did not answer in time',
  UND_ERR_HEADERS_TIMEOUT: 'it did not answer in time',
}

/** With these codes nobody was there to take the request. */
const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])

/** The error for a request that got no answer. @param error what `fetch` threw */
export function unreachable(url: string, error: unknown): DaybookClientError {
  const { name, code, message } = systemError(error)
  const reason = name === 'TimeoutError' ? 'it did not answer in time' : (REASONS[code ?? ''] ?? message)
  return new DaybookClientError(
    'UNREACHABLE',
    `Daybook does not answer at ${url}: ${reason ?? String(error)}`,
    {
      retryable: true,
      // A browser does not say why.
      mayHaveArrived: !NEVER_SENT.has(code ?? ''),
      cause: error,
    },
  )
}

/** The system's error: it may be the `cause`, or the first error of an AggregateError. */
export function systemError(error: unknown): { name?: string; code?: string; message?: string } {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return (cause instanceof AggregateError ? cause.errors[0] : cause) ?? {}
}
