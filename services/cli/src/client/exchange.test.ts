import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { exchange, unreachable } from './request.ts'

const servers: (Server | TcpServer)[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

async function listen(server: Server | TcpServer): Promise<string> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const serve = (handle: RequestListener) => listen(createServer(handle))

/** What the CLI says about a failed exchange. */
async function complaint(
  url: string,
  timeoutMs = 240_000,
): Promise<{ message: string; mayHaveArrived: boolean }> {
  const error: unknown = await exchange(url, { timeoutMs }).then(
    () => expect.fail('it answered'),
    (failure: unknown) => failure,
  )
  const { message, mayHaveArrived } = unreachable({ url, dataDir: '/nowhere' }, error)
  return { message, mayHaveArrived }
}

test('sends the body whole, and reads the whole answer, beyond ASCII', async () => {
  const url = await serve(async (request, response) => {
    request.setEncoding('utf8')
    let body = ''
    for await (const part of request) body += part
    const { authorization, 'content-length': length } = request.headers
    response.writeHead(418).end(JSON.stringify([request.method, request.url, authorization, length, body]))
  })
  const body = 'é😀'.repeat(50_000)
  const headers = { authorization: 'Bearer key' }
  const answer = await exchange(`${url}/a?b`, { method: 'POST', headers, body, timeoutMs: 240_000 })
  expect(answer.status).toBe(418)
  expect(JSON.parse(answer.text)).toEqual(['POST', '/a?b', 'Bearer key', '300000', body])
})

test('says in words why nothing answers', async () => {
  const gone = await serve(() => {})
  servers.splice(0)[0]?.close()
  expect(await complaint(gone)).toEqual({
    message: `Daybook does not answer at ${gone}: nothing listens there.`,
    mayHaveArrived: false,
  })
  const breaking = await listen(createTcpServer((socket) => socket.once('data', () => socket.destroy())))
  expect(await complaint(breaking)).toEqual({
    message: `Daybook does not answer at ${breaking}: the connection broke.`,
    mayHaveArrived: true,
  })
})

test('gives up an answer that does not come, or does not end', async () => {
  const silent = await serve(() => {})
  expect((await complaint(silent, 50)).message).toContain('it did not answer in time')
  const endless = await serve((_, response) => void response.write('{'))
  expect((await complaint(endless, 200)).message).toContain('it did not answer in time')
})
