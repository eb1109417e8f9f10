/* Answers of the GraphQL API, as every client of it reads them. It imports nothing, because the CLI starts with it. */

/** An error in an answer. */
export interface AnsweredError {
  readonly message: string
  readonly extensions?: {
    readonly code?: string
    readonly field?: string
    readonly retryable?: boolean
    /** Seconds. */
    readonly retryAfter?: number
    readonly [other: string]: unknown
  }
}

/** An answer in GraphQL's form. */
export interface Answer {
  readonly data?: unknown
  readonly errors?: readonly AnsweredError[]
}

/** Parses an answer in GraphQL's form; null for anything else. */
export function parseAnswer(text: string): Answer | null {
  try {
    const answer: unknown = JSON.parse(text)
    return typeof answer === 'object' && answer !== null && ('data' in answer || 'errors' in answer)
      ? (answer as Answer)
      : null
  } catch {
    return null
  }
}

/** What Daybook refused, and why. */
export interface Refusal {
  readonly code: string
  readonly message: string
  readonly field: string | null
  readonly retryable: boolean
  /** Milliseconds. */
  readonly retryAfterMs: number | null
  /** The other extensions of the first error. */
  readonly details: Readonly<Record<string, unknown>>
}

/** The statuses with which a gateway, or a proxy before it, cannot serve now. */
export const isPassing = (status: number): boolean => [502, 503, 504].includes(status)

/** The first error decides, and the messages of at most five are shown. @param errors at least one */
export function readRefusal(errors: readonly AnsweredError[], status: number): Refusal {
  const {
    code = status === 413 ? 'BODY_TOO_LARGE' : 'REFUSED',
    field = null,
    retryable,
    retryAfter,
    ...details
  } = errors[0]?.extensions ?? {}
  return {
    code,
    message: [...new Set(errors.map(({ message }) => message))].slice(0, 5).join('\n'),
    field,
    retryable: retryable ?? (code === 'UNAVAILABLE' || isPassing(status)),
    retryAfterMs: retryAfter === undefined ? null : retryAfter * 1_000,
    details,
  }
}
