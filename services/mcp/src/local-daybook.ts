import { type GraphQLDocument, textOf } from '@daybook/api/graphql'
import { DaybookClientError } from '@daybook/client/client-error'
import { createClient, type DaybookClient } from '@daybook/client/create-client'
import { retrying, waitAfter } from '@daybook/client/retry/retrying'
import type { Connection } from '@daybook/local-daemon/connection'
import { LocalDaemonError } from '@daybook/local-daemon/daemon-state'
import type { Follow } from '@daybook/mcp/changes'
import { ApiError, type Daybook } from '@daybook/mcp/session'
import { ANYWHERE, daemonFetch } from './daemon-fetch.ts'

/**
 * How long a question is asked again while the daemon is away, in milliseconds: a daemon that is killed is started again
 * within some seconds, and clients give a call of a tool 60 s as a rule.
 */
const RETRY_FOR_MS = 45_000

/** The Daybook of this machine, or of an address, over HTTP. */
export interface LocalDaybook extends Daybook {
  readonly follow: Follow
}

/** Reaches Daybook through a daemon that may go and come back. @param connect finds or starts it */
export function localDaybook(connect: () => Promise<Connection>): LocalDaybook {
  const { fetch, problem } = daemonFetch(connect)
  const clients = new Map<string | null, DaybookClient>()
  const clientOf = (agent: string | null): DaybookClient => {
    const known = clients.get(agent)
    if (known !== undefined) return known
    const made = createClient({
      url: ANYWHERE,
      // `fetch` puts the daemon's own in its place.
      apiKey: 'unknown',
      fetch,
      userAgent: 'daybook-mcp',
      retryForMs: RETRY_FOR_MS,
      readYourWrites: false,
      ...(agent !== null && { agent }),
    })
    clients.set(agent, made)
    return made
  }
  return {
    async ask(document, variables, { agent, signal }) {
      const wait = waitAfter(RETRY_FOR_MS)
      const repeatable = isRepeatable(document as GraphQLDocument, variables)
      try {
        return await retrying(
          () => clientOf(agent).request(document, variables, { signal }),
          (error, attempt) =>
            repeatable || (error instanceof DaybookClientError && !error.mayHaveArrived)
              ? wait(error, attempt)
              : null,
          signal,
        )
      } catch (error) {
        throw apiError(error, problem())
      }
    },
    follow: (signal) => clientOf(null).events({ signal }),
  }
}

/** Whether sending it twice does no harm: it only reads, or each of its changes has an idempotency key. */
function isRepeatable(document: GraphQLDocument, variables: unknown): boolean {
  if (!/^\s*mutation\b/u.test(textOf(document))) return true
  const { idempotencyKey, inputs } = variables as {
    readonly idempotencyKey?: unknown
    readonly inputs?: readonly { readonly idempotencyKey?: unknown }[]
  }
  return idempotencyKey !== undefined || inputs?.every((one) => one.idempotencyKey !== undefined) === true
}

function apiError(error: unknown, problem: unknown): unknown {
  if (!(error instanceof DaybookClientError)) return error
  const { code, message, field, retryable } = error
  if (code === 'UNREACHABLE' && problem instanceof LocalDaemonError)
    return new ApiError(problem.code, [problem.message, ...problem.hints].join('\n'))
  const advice =
    code === 'UNREACHABLE'
      ? '. The user has to see that Daybook runs: daybook status, daybook start --detach'
      : ''
  return new ApiError(code, `${message}${advice}`, { field, retryable })
}
