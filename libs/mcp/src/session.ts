import { randomUUID } from 'node:crypto'
import type { GraphQLDocument, ReadonlyInput } from '@daybook/api/graphql'
import { safeLine } from '@daybook/memory/safe-text'
import { CLIENT_INFO_META_KEY, type McpServer, type ServerContext } from '@modelcontextprotocol/server'
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
    variables: ReadonlyInput<Variables>,
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

/** The longest name that Daybook keeps of an agent, in characters. */
const MOST = 255

/**
 * The agent that calls: the name that its client gave. In the revision 2026-07-28 each request has it, before that the
 * handshake had it; over stateless HTTP of that time nothing has.
 */
export function agentOf(server: McpServer, { mcpReq }: ServerContext): string | null {
  // The SDK's type of the envelope has no keys.
  const envelope = mcpReq.envelope as Readonly<Record<string, { readonly name?: string }>> | undefined
  const said = envelope?.[CLIENT_INFO_META_KEY]?.name ?? server.server.getClientVersion()?.name
  // A name that the API refuses would have every write refused, and no agent can change it.
  const name = safeLine(said ?? '')
    .slice(0, MOST)
    .toWellFormed()
  return name === '' ? null : name
}

/** Who asks, and for how long. */
interface Asking {
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
    variables: ReadonlyInput<Variables>,
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
