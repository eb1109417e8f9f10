/* Why no answer came, for every client that speaks HTTP. It imports nothing, because the CLI starts with it. */

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'its host name cannot be looked up',
  ECONNRESET: 'the connection broke',
  UND_ERR_SOCKET: 'the connection broke',
  ETIMEDOUT: 'it did not answer in time',
  UND_ERR_CONNECT_TIMEOUT: 'it did not answer in time',
  UND_ERR_HEADERS_TIMEOUT: 'it did not answer in time',
}

/** What the system says of a failed request. */
interface SystemError {
  readonly name?: string
  readonly code?: string
  readonly message?: string
}

/** The system's error: it may be the `cause`, or the first error of an AggregateError. */
export function systemErrorOf(error: unknown): SystemError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return ((cause instanceof AggregateError ? cause.errors[0] : cause) ?? {}) as SystemError
}

/** Why a request got no answer, in words. */
export function whyNoAnswer(error: unknown): string {
  const { name, code, message } = systemErrorOf(error)
  if (name === 'TimeoutError') return 'it did not answer in time'
  return REASONS[code ?? ''] ?? message ?? String(error)
}
