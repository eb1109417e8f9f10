import { UnavailableError } from '@daybook/memory/errors'

/** Typesense cannot take the request now. Nothing is wrong with what was sent: the same can be sent again later. */
export class TypesenseUnavailableError extends UnavailableError {
  /** Whether the request may have arrived all the same, and may yet be carried out: its answer did not come. */
  readonly mayHaveArrived: boolean

  constructor(message: string, mayHaveArrived: boolean) {
    super(message)
    this.mayHaveArrived = mayHaveArrived
  }
}

/** Typesense refused the request itself (4xx): sent again, it would be refused again. */
export class TypesenseRefusedError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.name = 'TypesenseRefusedError'
    this.status = status
  }
}

/** Whether the collection, alias or document that was asked for is not there. */
export function isMissing(error: unknown): boolean {
  return error instanceof TypesenseRefusedError && error.status === 404
}

/** What a request answers; null where what it asks for is not there. */
export async function orNull<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/**
 * What a server says whose memory or disk is full, or that its operator told to skip writes ("Skipping writes.", and of a
 * write that was already in its queue "Skipping write."); the status is 422, or 500 in a line of an import.
 */
const NO_WRITES_NOW = /rejecting write|on-disk storage|skipping write/i

/** Whether an answer with this status and message says "not now": 408, 429, 5xx (503 is "Not Ready or Lagging"), or full. */
export function isPassing(status: number, message: string): boolean {
  return status === 408 || status === 429 || status >= 500 || NO_WRITES_NOW.test(message)
}

/**
 * The same of one line of an import's answer. A plain 500 is not enough there: a document at which the server stumbles each
 * time must not hold up all others for ever.
 */
export function isPassingLine(code: number, message: string): boolean {
  return code === 429 || code === 503 || NO_WRITES_NOW.test(message)
}

/** Failures before a connection stood, so that nothing can have arrived. */
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
 * What the official client threw, as one of the two errors above; what is neither of the server nor of the network comes
 * back as it is. Nothing of the original is kept: it holds the whole request, with the API key and the memories' texts.
 *
 * @param host for the operator; without what an address may hold of passwords
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
  // An answer that broke off in the middle.
  if (error instanceof SyntaxError)
    return new TypesenseUnavailableError(`Typesense at ${host} gave an answer that is not JSON`, true)
  return error
}
