import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { UnauthorisedError, UnreachableError } from '../command-line.ts'
import type { Entry } from './entry.ts'
import { type Sending, sendBatch } from './send-batch.ts'

/*
 * A server that answers as the gateway does in states that a healthy daemon cannot be brought into at will.
 */

type Input = { readonly text: string }
type Reply = { readonly status: number; readonly body: object }
let server: Server | undefined
afterEach(() => void server?.close())

async function serve(answer: (inputs: readonly Input[]) => Reply): Promise<Sending & { waits: string[] }> {
  server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const { variables } = JSON.parse(Buffer.concat(parts).toString()) as { variables: { inputs: Input[] } }
    const { status, body } = answer(variables.inputs)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const waits: string[] = []
  return {
    connection: {
      url: `http://127.0.0.1:${port}`,
      isGiven: true,
      dataDir: '/nowhere',
      apiKey: 'key',
      keySource: 'a test',
      project: null,
    },
    retryMs: 240_000,
    signal: new AbortController().signal,
    onWaiting: (reason) => waits.push(reason),
    waits,
  }
}

const entries = (...texts: readonly string[]): Entry[] =>
  texts.map((text, index) => ({ line: index + 1, json: JSON.stringify({ text }), bytes: 0 }))

const remembered = (inputs: readonly Input[]): Reply => ({
  status: 200,
  body: {
    data: {
      result: inputs.map((_, index) => ({
        __typename: 'Remembered',
        sequence: index + 1,
        duplicate: false,
      })),
    },
  },
})

const error = (status: number, message: string, extensions: object = {}): Reply => ({
  status,
  body: { errors: [{ message, extensions }] },
})

test('a daemon that cannot serve is asked again until it can', async () => {
  let requests = 0
  const sending = await serve((inputs) =>
    ++requests < 3 ? error(503, 'not now', { code: 'UNAVAILABLE' }) : remembered(inputs),
  )
  expect(await sendBatch(entries('a', 'b'), sending)).toMatchObject({ imported: 2, sequence: 2, bad: [] })
  expect(sending.waits).toEqual(['not now'])
})

test('so is one whose database is gone, which it says inside an answer', async () => {
  let requests = 0
  const sending = await serve((inputs) =>
    ++requests === 1 ? error(200, 'not now', { code: 'UNAVAILABLE', retryable: true }) : remembered(inputs),
  )
  expect(await sendBatch(entries('a'), sending)).toMatchObject({ imported: 1 })
})

test('where the whole request is refused for one input, the others are remembered all the same', async () => {
  const sending = await serve((inputs) =>
    inputs.some(({ text }) => text.startsWith('bad'))
      ? error(200, 'Field "foo" is not defined')
      : remembered(inputs),
  )
  const sent = await sendBatch(entries('a', 'bad 1', 'b', 'c', 'bad 2', 'd', 'e'), sending)
  expect(sent.imported).toBe(5)
  expect(sent.bad).toEqual([
    { line: 2, field: null, message: 'Field "foo" is not defined' },
    { line: 5, field: null, message: 'Field "foo" is not defined' },
  ])
})

test('a failure of one entry is told by its line, not by its place in the request', async () => {
  const message = 'inputs.0.content.note.text must not be blank'
  const sending = await serve(() => ({
    status: 200,
    body: {
      data: {
        result: [
          { __typename: 'ValidationError', code: 'VALIDATION', field: 'inputs.0.content.note.text', message },
        ],
      },
    },
  }))
  expect((await sendBatch(entries(''), sending)).bad).toEqual([
    { line: 1, field: 'content.note.text', message: 'content.note.text must not be blank' },
  ])
})

test('a key that is refused ends it at once', async () => {
  const sending = await serve(() => error(401, 'no', { code: 'UNAUTHENTICATED' }))
  await expect(sendBatch(entries('a', 'b'), sending)).rejects.toThrow(UnauthorisedError)
})

test('a daemon that stays away is given up after the time allowed', async () => {
  const sending = await serve(remembered)
  server?.close()
  await expect(sendBatch(entries('a'), { ...sending, retryMs: 0 })).rejects.toThrow(UnreachableError)
})
