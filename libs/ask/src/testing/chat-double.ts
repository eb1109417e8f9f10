import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request for an answer as the double received it. */
export interface ReceivedChat {
  readonly path: string
  readonly authorization: string | undefined
  readonly model: string
  readonly system: string
  readonly user: string
}

/** What the double says next: words piece by piece, or a refusal. */
export type Reply =
  | { readonly pieces: readonly string[]; readonly hangs?: boolean }
  | { readonly status: number; readonly body: unknown }

/** A local server that speaks OpenAI's API for chats, as a stream. Ollama speaks the same. */
export interface ChatDouble {
  readonly url: string
  readonly requests: ReceivedChat[]
  /** The next replies, in order. */
  readonly replies: Reply[]
  stop(): Promise<void>
}

interface ChatBody {
  readonly model: string
  readonly messages: readonly { readonly role: string; readonly content: string }[]
}

/** Starts the double. */
export async function startChatDouble(): Promise<ChatDouble> {
  const requests: ReceivedChat[] = []
  const replies: Reply[] = []
  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const { model, messages } = JSON.parse(Buffer.concat(chunks).toString()) as ChatBody
    const said = (role: string) => messages.find((message) => message.role === role)?.content ?? ''
    requests.push({
      path: incoming.url ?? '',
      authorization: incoming.headers.authorization,
      model,
      system: said('system'),
      user: said('user'),
    })
    const reply = replies.shift() ?? { pieces: ['Nothing ', 'to say.'] }
    if ('status' in reply) {
      response.writeHead(reply.status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(reply.body))
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const send = (value: unknown) => response.write(`data: ${JSON.stringify(value)}\n\n`)
    const chunk = { id: 'chat-1', object: 'chat.completion.chunk', created: 1, model }
    for (const content of reply.pieces)
      send({ ...chunk, choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }] })
    if (reply.hangs === true) return
    send({ ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
    send({ ...chunk, choices: [], usage: { prompt_tokens: 40, completion_tokens: 7, total_tokens: 47 } })
    response.end('data: [DONE]\n\n')
  }
  const server = createServer((request, response) => void serve(request, response))
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    replies,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
