import { createClient } from 'graphql-ws'
import { WebSocket } from 'ws'
import { HANGS_MS } from '../support/child-process.ts'

/** The ways in which a client may send an operation. */
export const TRANSPORTS = ['POST', 'GET', 'SSE', 'WebSocket'] as const
/** One of them. */
export type Transport = (typeof TRANSPORTS)[number]

/** Who asks. */
export interface Asker {
  readonly url: string
  readonly key: string
  /** The header `X-Daybook-Project`. Default none. */
  readonly project?: string | undefined
}

/** An operation. */
export interface Asked {
  readonly kind: 'query' | 'mutation' | 'subscription'
  readonly document: string
  readonly variables: Readonly<Record<string, unknown>>
  /** How long a subscription is listened to, in milliseconds. Default 250. */
  readonly listenMs?: number
}

const LISTEN_MS = 250

/** Sends an operation. @returns the answer's head and body as they came; of a stream, what came while it was listened to */
export async function ask(asker: Asker, transport: Transport, asked: Asked): Promise<string> {
  if (transport === 'WebSocket') return askSocket(asker, asked)
  const { document: query, variables, kind, listenMs = LISTEN_MS } = asked
  const streams = kind === 'subscription' || transport === 'SSE'
  const headers = {
    authorization: `Bearer ${asker.key}`,
    'content-type': 'application/json',
    accept: streams ? 'text/event-stream' : 'application/json',
    'x-correlation-id': 'common-correlation',
    ...(asker.project !== undefined && { 'x-daybook-project': encodeURIComponent(asker.project) }),
  }
  // Only queries and subscriptions may be asked with GET.
  const byGet = transport === 'GET' && kind !== 'mutation'
  const search = new URLSearchParams({ query, variables: JSON.stringify(variables) })
  const url = `${asker.url}/graphql${byGet ? `?${search}` : ''}`
  const init = byGet ? { headers } : { method: 'POST', headers, body: JSON.stringify({ query, variables }) }
  return receive(url, init, kind === 'subscription' ? listenMs : HANGS_MS)
}

/** Sends an HTTP request. @returns status, headers and body, as much as came in time */
export async function receive(url: string, init: RequestInit, timeoutMs = HANGS_MS): Promise<string> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), timeoutMs)
  let text = ''
  try {
    const response = await fetch(url, { ...init, redirect: 'manual', signal: late.signal })
    text = `${response.status} ${JSON.stringify([...response.headers])}\n`
    const decoder = new TextDecoder()
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>)
      text += decoder.decode(chunk, { stream: true })
  } catch (error) {
    if (!late.signal.aborted) throw error
  } finally {
    clearTimeout(timer)
  }
  return text
}

/** The JSON in an answer: of a stream, its first event. Null if there is none. */
export function jsonIn(
  answer: string,
): { readonly data?: unknown; readonly errors?: readonly Failure[] } | null {
  const body = answer.slice(answer.indexOf('\n') + 1)
  // A stream's later lines are further answers.
  const [first = ''] = body.split('\n', 1)
  const text = first.startsWith('{') ? first : /^data: ?(\{.*\})$/mu.exec(body)?.[1]
  return text === undefined ? null : JSON.parse(text)
}

/** An error as GraphQL reports it. */
export interface Failure {
  readonly message: string
  readonly extensions?: Readonly<Record<string, unknown>>
}

async function askSocket({ url, key, project }: Asker, asked: Asked): Promise<string> {
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: {
      Authorization: `Bearer ${key}`,
      ...(project !== undefined && { 'X-Daybook-Project': encodeURIComponent(project) }),
    },
    retryAttempts: 0,
  })
  const received: string[] = []
  await new Promise<void>((resolve) => {
    const { document: query, variables } = asked
    const note = (value: unknown) => void received.push(JSON.stringify(value))
    const stop = client.subscribe(
      { query, variables },
      { next: note, error: (error) => (note(error), resolve()), complete: resolve },
    )
    if (asked.kind === 'subscription') setTimeout(stop, asked.listenMs ?? LISTEN_MS)
  })
  await client.dispose()
  return `over WebSocket\n${received.join('\n')}`
}
