import type { Given, GraphQLDocument } from '@daybook/api/graphql'
import { type ConnectionOptions, openConnection } from './http/connection.ts'
import { type RequestOptions, request } from './http/request.ts'

/** How to open a Daybook. */
export type ClientOptions = ConnectionOptions

/** A Daybook, as a program uses it. */
export interface DaybookClient {
  /**
   * Sends any operation of the API once, typed by its document (`graphql` of `@daybook/api/graphql`).
   * @throws DaybookClientError; the signal's reason
   */
  request<Result, Variables>(
    document: GraphQLDocument<Result, Variables>,
    variables: Given<Variables>,
    options?: RequestOptions,
  ): Promise<Result>
}

/**
 * Opens a Daybook. Nothing is sent until the first call, and nothing has to be closed.
 * @throws DaybookClientError VALIDATION for an option that cannot be right
 */
export function createClient(options: ClientOptions): DaybookClient {
  const connection = openConnection(options)
  return {
    request: (document, variables, sent) => request(connection, document, variables, sent),
  }
}
