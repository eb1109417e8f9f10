import type { Given, GraphQLDocument } from '@daybook/api/graphql'

/** Who asks, and for how long. */
export interface Asking {
  /** Ends the question, where its asker has gone. */
  readonly signal: AbortSignal
  /** The agent for whom it is asked; null if it gave no name. */
  readonly agent: string | null
}

/** Daybook's GraphQL API, as tools reach it: in the same process, or over HTTP. */
export interface Daybook {
  /** @throws ApiError; anything else that is thrown is a fault of Daybook */
  ask<Result, Variables>(
    document: GraphQLDocument<Result, Variables>,
    variables: Given<Variables>,
    asking: Asking,
  ): Promise<Result>
}

/** The API refused a request, or could not be asked. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** As the API gives it, such as VALIDATION; UNREACHABLE if nothing answered. */
  readonly code: string
  /** The argument that is wrong; null if the error names none. */
  readonly field: string | null
  /** Whether the same request may succeed later. */
  readonly retryable: boolean

  constructor(
    code: string,
    message: string,
    {
      field = null,
      retryable = false,
    }: { readonly field?: string | null; readonly retryable?: boolean } = {},
  ) {
    super(message)
    this.code = code
    this.field = field
    this.retryable = retryable
  }
}
