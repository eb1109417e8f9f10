import { randomUUID } from 'node:crypto'
import type { Given, GraphQLDocument } from '@daybook/api/graphql'
import type { Daybook } from './daybook.ts'
import type { Receipts } from './receipts.ts'

/** What a call of a tool, a read of a resource or a prompt works with. */
export interface Session {
  /** The agent that calls: its own name, such as `claude-code`; null if it gave none. */
  readonly agent: string | null
  /** The namespace that the client works in; null if it has none, as over HTTP. */
  readonly context: string | null
  readonly receipts: Receipts
  /** Asks Daybook for this agent, until its call ends. @throws ApiError */
  ask<Result, Variables>(
    document: GraphQLDocument<Result, Variables>,
    variables: Given<Variables>,
  ): Promise<Result>
  /**
   * An idempotency key for one write of this call. It is kept over retries of the transport, so that an answer that gets lost
   * does not write twice.
   */
  newKey(given: string | undefined, part?: number | string): string
}

/** What all calls of a client have in common. */
export interface SessionParts {
  readonly daybook: Daybook
  readonly receipts: Receipts
  readonly context: string | null
}

/** The session of one call. */
export function openSession(
  { daybook, receipts, context }: SessionParts,
  asking: { readonly agent: string | null; readonly signal: AbortSignal },
): Session {
  return {
    agent: asking.agent,
    context,
    receipts,
    ask: (document, variables) => daybook.ask(document, variables, asking),
    newKey: (given, part) =>
      [given === undefined ? `mcp:${randomUUID()}` : given, ...(part === undefined ? [] : [part])].join(':'),
  }
}
