import { WebSocket } from 'ws'
import type { TestClient } from './test-gateway.ts'

/** A message of graphql-transport-ws. */
export interface Message {
  readonly type: string
  readonly id?: string
  readonly payload?: unknown
}

/** A WebSocket with nothing between the test and the protocol graphql-transport-ws. */
export interface RawSocket {
  send(message: object): void
  sendText(text: string): void
  /** The first message, of those that came and will come, that was not asked for before and is meant. */
  next(isMeant: (message: Message) => boolean): Promise<Message>
  /** What it was closed with. */
  readonly closed: Promise<number>
  /** Goes away without a word. */
  terminate(): void
}

/** Connects with the client's key, until the gateway has acknowledged it. */
export async function openSocket(client: TestClient): Promise<RawSocket> {
  const socket = new WebSocket(`${client.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
    headers: { authorization: `Bearer ${client.key}` },
  })
  const messages: Message[] = []
  const waiting = new Set<() => void>()
  socket.on('message', (data) => {
    messages.push(JSON.parse(String(data)) as Message)
    for (const look of waiting) look()
  })
  const closed = new Promise<number>((resolve) => socket.once('close', resolve))
  socket.on('error', () => {})
  const raw: RawSocket = {
    send: (message) => socket.send(JSON.stringify(message)),
    sendText: (text) => socket.send(text),
    next: (isMeant) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const place = messages.findIndex(isMeant)
          if (place < 0) return
          waiting.delete(look)
          resolve(messages.splice(place, 1)[0] as Message)
        }
        waiting.add(look)
        look()
        void closed.then((code) => reject(new Error(`the socket was closed with ${code}`)))
      }),
    closed,
    terminate: () => socket.terminate(),
  }
  await new Promise((resolve) => socket.once('open', resolve))
  raw.send({ type: 'connection_init' })
  await raw.next(({ type }) => type === 'connection_ack')
  return raw
}
