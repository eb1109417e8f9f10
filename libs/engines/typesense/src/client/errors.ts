import { UnavailableError } from '@daybook/memory/errors'

/** Typesense cannot take the request now. The request itself is fine and can be sent again later. */
export class TypesenseUnavailableError extends UnavailableError {
  /** Whether the request may have arrived without an answer, and may still be carried out. */
  readonly mayHaveArrived: boolean

  constructor(message: string, mayHaveArrived: boolean) {
    super(message)
    this.mayHaveArrived = mayHaveArrived
  }
}

/** Typesense refused the request itself (4xx) and would refuse it again. */
export class TypesenseRefusedError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.name = 'TypesenseRefusedError'
    this.status = status
  }
}

/** Whether the error says that the requested collection, alias or document does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof TypesenseRefusedError && error.status === 404
}

/** The answer of a request, or null if what it asks for does not exist. */
export async function orNull<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/**
 * Messages of a server whose memory or disk is full, or whose operator told it to skip writes ("Skipping
 * writes.", and "Skipping write." for a write that was already queued). The status is 422, or 500 in a line
 * of an import.
 */
const NO_WRITES_NOW = /rejecting write|on-disk storage|skipping write/i

/**
 * Whether an answer with this status and message is temporary: 408, 429, 5xx (503 is "Not Ready or Lagging"),
 * or a full server.
 */
export function isPassing(status: number, message: string): boolean {
  return status === 408 || status === 429 || status >= 500 || NO_WRITES_NOW.test(message)
}

/**
 * The same for one line of an import's answer. A plain 500 does not count there: a document on which the
 * server always fails must not hold up all others for ever.
 */
export function isPassingLine(code: number, message: string): boolean {
  return code === 429 || code === 503 || NO_WRITES_NOW.test(message)
}

/** Failures before a connection was made, so that nothing can have arrived. */
const NOT_DELIVERED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ERR_INVALID_URL',
])

interface ClientFailure {
  readonly httpStatus?: unknown
  readonly isAxiosError?: unknown
  readonly code?: unknown
  readonly message?: unknown
}

/**
 * Converts an error of the official client to one of the two errors above. An error of neither the server nor
 * the network is returned as it is. Nothing of the original is kept, because it holds the whole request with
 * the API key and the memories' texts.
 *
 * @param host for the operator; without credentials that the address may contain
 */
export function asTypesenseError(error: unknown, host: string): unknown {
  const { httpStatus, isAxiosError, code, message } = (error ?? {}) as ClientFailure
  if (typeof httpStatus === 'number') {
    const said = String(message).replace(/^.*?Server said: /s, '')
    if (httpStatus === 401 || httpStatus === 403)
      return new TypesenseUnavailableError(
        `Typesense at ${host} refuses the API key: set TYPESENSE_API_KEY to one that may read and write Daybook's collections`,
        false,
      )
    if (isPassing(httpStatus, said))
      return new TypesenseUnavailableError(
        `Typesense at ${host} cannot take requests now (${httpStatus} ${said})`,
        false,
      )
    return new TypesenseRefusedError(httpStatus, said)
  }
  if (isAxiosError === true) {
    const reason = typeof code === 'string' ? code : 'no answer'
    return new TypesenseUnavailableError(
      `Typesense at ${host} does not answer (${reason}): check TYPESENSE_URL and that it runs`,
      !NOT_DELIVERED.has(reason),
    )
  }
  // An answer that was cut off.
  if (error instanceof SyntaxError)
    return new TypesenseUnavailableError(`Typesense at ${host} gave an answer that is not JSON`, true)
  return error
}
