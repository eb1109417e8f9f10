import * as local from '@daybook/local-daemon/connection'
import { LocalDaemonError } from '@daybook/local-daemon/local-daemon-error'
import { fromLocalDaemon } from './cli-error.ts'

/** Where the daemon is and how to open it. */
export type { Connection, Environment } from '@daybook/local-daemon/connection'
export { DEFAULT_URL } from '@daybook/local-daemon/connection'

/** The options that every command has, as commander gives them. */
export interface GlobalOptions extends local.ConnectionOptions {
  readonly json?: boolean
}

/** Parses a URL as people write it, with or without `/graphql` at its end. @throws UsageError */
export const parseUrl = (given: string): string => ofTheCli(() => local.parseUrl(given))

/** As `placeFrom` of `@daybook/local-daemon`. @throws UsageError */
export function placeFrom(options: GlobalOptions, environment: local.Environment): local.Place {
  return ofTheCli(() => local.placeFrom(options, environment))
}

/** As `connectionFrom` of `@daybook/local-daemon`. @throws UsageError, UnauthorisedError if no key is found */
export function connectionFrom(options: GlobalOptions, environment: local.Environment): local.Connection {
  return ofTheCli(() => local.connectionFrom(options, environment))
}

/** The headers that open a project. */
export function keyHeaders(connection: Pick<local.Connection, 'apiKey' | 'project'>): Record<string, string> {
  return local.keyHeaders(connection, 'daybook-cli')
}

function ofTheCli<Result>(look: () => Result): Result {
  try {
    return look()
  } catch (error) {
    throw error instanceof LocalDaemonError ? fromLocalDaemon(error) : error
  }
}
