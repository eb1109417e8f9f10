import { type Given, type GraphQLDocument, textOf } from '@daybook/api/graphql'
import { createParser } from 'eventsource-parser'
import { DaybookClientError } from '../client-error.ts'
import { type Answer, parseAnswer } from '../http/answer.ts'
import type { Connection } from '../http/connection.ts'
import { readAnswer } from '../http/request.ts'
import { unreachable } from '../http/unreachable.ts'

/** How a subscription is opened. */
interface Opened {
  /** Ends it. */
  readonly signal: AbortSignal
  /** How long the server may say nothing, in milliseconds. It sends a sign of life every 12 s. */
  readonly silenceMs: number
  readonly onConnected: () => void
}

/**
 * One subscription on one connection: the protocol "GraphQL over Server-Sent Events" in its mode of distinct connections.
 * It is read no faster than the results are taken. It ends when the server completes it.
 * @throws DaybookClientError: UNREACHABLE where the connection breaks or falls silent
 */
export async function* openStream<Result, Variables>(
  connection: Connection,
  document: GraphQLDocument<Result, Variables>,
  variables: Given<Variables>,
  { signal, silenceMs, onConnected }: Opened,
): AsyncGenerator<Result, void> {
  const silence = new AbortController()
  const ended = AbortSignal.any([signal, silence.signal])
  /** Waits for the server only: the time that the reader of the results takes does not count. */
  const heard = async <Heard>(hearing: Promise<Heard>): Promise<Heard> => {
    const timer = setTimeout(() => silence.abort(new DOMException('silent', 'TimeoutError')), silenceMs)
    try {
      return await hearing
    } catch (error) {
      throw unreachable(connection.url, silence.signal.aborted ? silence.signal.reason : error)
    } finally {
      clearTimeout(timer)
    }
  }
  const response = await heard(
    connection.fetch(`${connection.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...connection.headers },
      body: JSON.stringify({ query: textOf(document), variables }),
      redirect: 'manual',
      signal: ended,
    }),
  )
  if (response.body === null || response.headers.get('content-type')?.includes('text/event-stream') !== true)
    throw await refusalIn(connection.url, response, heard)
  onConnected()
  const reader = response.body.getReader()
  try {
    const decoder = new TextDecoder()
    const messages: { readonly event?: string | undefined; readonly data: string }[] = []
    const parser = createParser({ onEvent: (message) => messages.push(message) })
    for (;;) {
      const { done, value } = await heard(reader.read())
      if (done) return
      parser.feed(decoder.decode(value, { stream: true }))
      for (const { event, data } of messages.splice(0)) {
        if (event === 'complete') return
        if (event === 'next') yield resultIn(connection.url, data) as Result
      }
    }
  } finally {
    // Closes the connection; a reader that has failed is closed already.
    await reader.cancel().catch(() => undefined)
  }
}

/** Of a stream the status says nothing: it is 200 before the first result. */
const resultIn = (url: string, data: string): unknown =>
  readAnswer(url, { status: 200, retryAfter: null, answer: parseAnswer(data) })

async function refusalIn(
  url: string,
  response: Response,
  heard: <Heard>(hearing: Promise<Heard>) => Promise<Heard>,
): Promise<unknown> {
  const answer: Answer | null = parseAnswer(await heard(response.text()))
  try {
    readAnswer(url, { status: response.status, retryAfter: response.headers.get('retry-after'), answer })
  } catch (error) {
    return error
  }
  return new DaybookClientError('NOT_DAYBOOK', `What answers at ${url} sends no stream of events`)
}
