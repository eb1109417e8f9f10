import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { check } from '@daybook/memory/check'
import { ValidationError } from '@daybook/memory/errors'
import { LIMITS } from '@daybook/memory/limits'
import { safeLine } from '@daybook/memory/safe-text'
import { characters, isBlank, oneLine, shortString } from '@daybook/memory/text-rules'
import type { Writer } from '@daybook/memory/writer'
import type { Access } from '@daybook/postgres/access/api-keys'
import type { RequestTarget } from '@daybook/runtime/http/http-server'
import { checkTraceparent } from '@daybook/runtime/trace-context'

/**
 * A header's text. Headers have no encoding, and node reads each byte as a character. Names that are not ASCII come as
 * UTF-8, percent-encoded or not.
 */
export function readHeader(value: string): string {
  try {
    const bytes = Buffer.from(value, 'latin1')
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    // Not from a header but from a WebSocket's parameters, which are JSON.
    return decodeURIComponent(bytes.toString('latin1') === value ? text : value)
  } catch {
    return value
  }
}

/** What a caller says of itself. Nothing proves it. */
type Claims = Omit<Writer, 'key'>

/** The most characters that are kept of a client's name; those of browsers are longer. */
const CLIENT_CHARACTERS = 120

/**
 * Reads who says to be asking: the agent in `X-Daybook-Agent`, and the program in `X-Daybook-Client`, else in
 * `User-Agent`. A client's name that is too long is cut, because nobody chose it to be short.
 * @param given a header by its name in lower case
 * @throws ValidationError for an agent that no memory could have either
 */
export function readClaims(given: (name: string) => string | null): Claims {
  const agent = given('x-daybook-agent')
  const client = given('x-daybook-client') ?? given('user-agent')
  const named = agent === null ? '' : readHeader(agent)
  const shown = client === null ? '' : oneLine(safeLine(readHeader(client).toWellFormed()), CLIENT_CHARACTERS)
  return {
    ...(!isBlank(named) && {
      agent: check('X-Daybook-Agent', shortString(LIMITS.nameCharacters), named),
    }),
    ...(characters(shown) > 0 && { client: shown }),
  }
}

/** Those of a request. */
export const claimsOf = (headers: IncomingHttpHeaders): Claims =>
  readClaims((name) => headers[name]?.toString() ?? null)

/**
 * Reads a body as JSON.
 * @param most bytes
 * @throws ValidationError if it is longer, or anything else
 */
export async function readJson(request: IncomingMessage, most: number): Promise<unknown> {
  const text = await readText(request, most)
  try {
    return JSON.parse(text)
  } catch {
    throw new ValidationError('body', 'is no JSON')
  }
}

/** Reads a body of at most so many bytes as UTF-8. @throws ValidationError naming `body` */
export async function readText(request: IncomingMessage, most: number): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += part.byteLength
    if (size > most) throw new ValidationError('body', `is too long: the limit is ${most} bytes`)
    parts.push(part)
  }
  const body = Buffer.concat(parts)
  if (!isUtf8(body)) throw new ValidationError('body', 'is not UTF-8')
  return body.toString('utf8')
}

/**
 * Reads a body that is one small JSON object.
 * @param most bytes
 * @returns null if it is longer, or anything else
 */
export async function readSmallJson(
  request: IncomingMessage,
  most: number,
): Promise<Readonly<Record<string, unknown>> | null> {
  try {
    const value = await readJson(request, most)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

/** A request, and where its answer goes. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly target: RequestTarget
  readonly known: Pick<RequestContext, 'correlationId' | 'traceparent'>
}

/** One whose key is known. */
export interface KnownExchange extends Exchange {
  readonly access: Access
  /** Aborted when the gateway stops; where the answer may last, also when the key ends. */
  readonly closing: AbortSignal
}

/** What the server knows about a request before GraphQL gets it. */
export interface RequestContext {
  /** Null if the request has no valid key. */
  readonly access: Access | null
  /** The request's socket. Limits per connection are counted by it. */
  readonly connection: object
  /** The client's `X-Correlation-Id`, or a new one. It appears in the request's log lines and events. */
  readonly correlationId: string
  /** The client's W3C trace context, if it sent one. */
  readonly traceparent: string | null
  /** Who says to be asking. */
  readonly claims: Claims
}

/** A request with a valid key. */
export type KnownRequest = RequestContext & { readonly access: Access }

/** The longest correlation id. Every log line and event of the request repeats it. */
const CORRELATION_ID_CHARACTERS = 128

/** Reads the ids of a request from its headers. */
export function readRequestContext(
  headers: IncomingHttpHeaders,
): Pick<RequestContext, 'correlationId' | 'traceparent'> {
  const given = headers['x-correlation-id']
  const usable = typeof given === 'string' && given !== '' && given.length <= CORRELATION_ID_CHARACTERS
  return {
    correlationId: usable ? given : randomUUID(),
    traceparent: checkTraceparent(headers['traceparent']),
  }
}

/** How long a client may go on sending a body that nobody reads, in milliseconds. */
const PATIENCE_MS = 5_000

/**
 * Discards the rest of a request's body after the answer. Closing the connection at once could lose the
 * answer while the client is still sending. A client that does not stop is cut off.
 */
export function discardBody(request: IncomingMessage): void {
  request.resume()
  const timer = setTimeout(() => {
    if (!request.complete) request.destroy()
  }, PATIENCE_MS)
  timer.unref()
  request.once('close', () => clearTimeout(timer))
}
