import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { PeerFailed } from './peer.ts'

/** JSON-RPC 2.0 with a child process, a line a message. */
export interface JsonRpc {
  /** @throws PeerFailed if it answers an error, ends, or takes longer than a minute */
  request(method: string, params: unknown): Promise<unknown>
  notify(method: string): void
}

interface Message {
  readonly id?: number
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

const TIMEOUT_MS = 60_000

/** @param name of the process, for messages */
export function jsonRpc(child: ChildProcess, name: string): JsonRpc {
  const waiting = new Map<number, (message: Message) => void>()
  let [last, ended]: [number, string | null] = [0, null]
  const end = (reason: string) => {
    ended ??= `${name} ${reason}`
    for (const answer of waiting.values()) answer({ error: { message: ended } })
    waiting.clear()
  }
  child.once('error', (error) => end(`cannot be started: ${error.message}`))
  child.once('exit', (code, signal) => end(`has ended (${code ?? signal})`))
  // A write to a process that has ended fails; its end is reported above.
  child.stdin?.on('error', () => {})
  if (child.stdout !== null)
    createInterface(child.stdout).on('line', (line) => {
      const message = parse(line)
      if (message?.id === undefined) return
      waiting.get(message.id)?.(message)
      waiting.delete(message.id)
    })
  const send = (message: object) => child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  return {
    notify: (method) => void send({ method }),
    request: (method, params) =>
      new Promise((resolve, reject) => {
        if (ended !== null) throw new PeerFailed(ended)
        last += 1
        const id = last
        const late = { error: { message: `no answer within ${TIMEOUT_MS / 1000} s` } }
        const timer = setTimeout(() => waiting.get(id)?.(late), TIMEOUT_MS)
        waiting.set(id, ({ result, error }) => {
          clearTimeout(timer)
          waiting.delete(id)
          if (error === undefined) resolve(result)
          else reject(new PeerFailed(`${method}: ${error.message}`))
        })
        send({ id, method, params })
      }),
  }
}

/** Servers print other lines too, against the protocol. */
function parse(line: string): Message | null {
  try {
    return JSON.parse(line) as Message
  } catch {
    return null
  }
}
