import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a false home does with a question, by the last part of its path. */
export type FalseAnswers = Readonly<
  Record<string, (response: ServerResponse, body: string) => void | Promise<void>>
>

/** A server that says of itself that it is the home of a project. */
export interface FalseHome {
  readonly url: string
  /** The questions that were asked, in order. */
  readonly asked: readonly string[]
  stop(): Promise<void>
}

/** Starts one on loopback. What it has no answer to is not found. */
export async function startFalseHome(answers: FalseAnswers): Promise<FalseHome> {
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    const what = new URL(request.url ?? '/', 'http://home').pathname.replace('/sync/', '')
    asked.push(request.url ?? '')
    let body = ''
    for await (const part of request) body += String(part)
    const answer = answers[what]
    if (answer !== undefined) return answer(response, body)
    response.writeHead(404).end()
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** An answer with JSON. */
export const json =
  (value: object) =>
  (response: ServerResponse): void =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))

/** What a home says of a project. */
export const hello = (project: { readonly id: string; readonly name: string }, sequence = 1) => ({
  project,
  epoch: 1,
  minimumReader: 1,
  head: { sequence, hash: 'a'.repeat(64) },
  movedTo: null,
})
