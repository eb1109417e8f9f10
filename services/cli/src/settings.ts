import * as local from '@daybook/local-daemon/connection'
import { LocalDaemonError } from '@daybook/local-daemon/daemon-state'
import { fromLocalDaemon } from './command-line.ts'

/** Where the daemon is and how to open it. */
export type { Connection, Environment } from '@daybook/local-daemon/connection'

/** The options that every command has, as commander gives them. */
export interface GlobalOptions extends local.ConnectionOptions {
  readonly json?: boolean
}

/** Parses a URL as people write it, with or without `/graphql` at its end. @throws UsageError */
export const parseUrl = (given: string): string => ofTheCli(() => local.parseUrl(given))

/** As `addressFrom` of `@daybook/local-daemon`. @throws UsageError */
export function addressFrom(options: GlobalOptions, environment: local.Environment): string | null {
  return ofTheCli(() => local.addressFrom(options, environment))
}

/** As `placeFrom` of `@daybook/local-daemon`. @throws UsageError, UnreachableError */
export function placeFrom(options: GlobalOptions, environment: local.Environment): local.DaemonAddress {
  return ofTheCli(() => local.placeFrom(options, environment))
}

/** As `connectionFrom` of `@daybook/local-daemon`. @throws UsageError, UnreachableError, UnauthorisedError if no key is found */
export function connectionFrom(options: GlobalOptions, environment: local.Environment): local.Connection {
  return ofTheCli(() => local.connectionFrom(options, environment))
}

/** The headers that open a project. @throws UnreachableError if the daemon of the folder no longer serves there */
export function keyHeaders(connection: local.Connection): Record<string, string> {
  return ofTheCli(() => local.keyHeaders(connection, 'daybook-cli'))
}

function ofTheCli<Result>(look: () => Result): Result {
  try {
    return look()
  } catch (error) {
    throw error instanceof LocalDaemonError ? fromLocalDaemon(error) : error
  }
}
