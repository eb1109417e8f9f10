import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { graphql } from '@daybook/api/graphql'
import { createClient, DaybookClientError } from '@daybook/client'
import { useTestGateway } from '@daybook/gateway/testing/test-gateway'
import { TEST_DATABASES } from '@daybook/postgres/testing/test-database'
import { afterEach, describe, expect, test } from 'vitest'
import { failureOf } from './failure-of.ts'

const PROJECTS = graphql('query Projects { projects { id } }')
const REMEMBER = graphql(`
  mutation Remember($input: RememberInput!) {
    remember(input: $input) {
      ... on Remembered { memory { id writtenBy { agent client } } }
      ... on DaybookError { code message }
    }
  }`)

// What is tested here is the client's, so one database is enough.
describe.each(TEST_DATABASES.slice(0, 1))('a request on $name', ({ start }) => {
  const suite = useTestGateway(start)

  test('answers as its document is typed', async () => {
    const { url, key, projectId } = suite.client
    const client = createClient({ url, apiKey: key })
    const { projects } = await client.request(PROJECTS, {})
    expect(projects.map(({ id }) => id)).toEqual([projectId])
  })

  test('says who asks, in any script', async () => {
    const { url, key } = suite.client
    const client = createClient({ url: `${url}/graphql/`, apiKey: key, agent: 'Zoë', userAgent: 'prüfer/1' })
    const { remember } = await client.request(REMEMBER, { input: { content: { note: { text: 'a' } } } })
    expect(remember).toMatchObject({ memory: { writtenBy: { agent: 'Zoë', client: 'prüfer/1' } } })
  })

  test('passes on the codes of the API, with the field', async () => {
    const { url, key } = suite.client
    const search = graphql('query Search { search(query: "a", limit: 0) { sequence } }')
    const wrong = await failureOf(createClient({ url, apiKey: key }).request(search, {}))
    expect(wrong).toBeInstanceOf(DaybookClientError)
    expect(wrong).toMatchObject({ code: 'VALIDATION', field: 'limit', retryable: false })
    const unknown = await failureOf(createClient({ url, apiKey: 'dbk_wrong' }).request(PROJECTS, {}))
    expect(unknown).toMatchObject({ code: 'UNAUTHENTICATED', retryable: false })
    expect(JSON.stringify(unknown)).not.toContain('dbk_wrong')
    const other = createClient({ url, apiKey: key, project: 'größe' })
    const memories = graphql('query Memories { memories { edges { cursor } } }')
    expect((await failureOf(other.request(memories, {}))).message).toContain('größe')
  })
})

const servers: ReturnType<typeof createServer>[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

async function serve(handle: RequestListener): Promise<string> {
  const server = createServer(handle)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('without a Daybook', () => {
  const ask = (url: string, options: object = {}) =>
    failureOf(createClient({ url, apiKey: 'dbk_x' }).request(PROJECTS, {}, options))

  test('nothing that listens is UNREACHABLE, and the request has not arrived', async () => {
    const url = await serve(() => {})
    servers.splice(0)[0]?.close()
    expect(await ask(url)).toMatchObject({
      code: 'UNREACHABLE',
      message: `Daybook does not answer at ${url}: nothing listens there`,
      retryable: true,
      mayHaveArrived: false,
    })
  })

  test('an answer that does not come in time, or breaks off, may have arrived', async () => {
    const silent = await serve(() => {})
    expect(await ask(silent, { timeoutMs: 50 })).toMatchObject({
      code: 'UNREACHABLE',
      message: expect.stringContaining('it did not answer in time'),
      mayHaveArrived: true,
    })
    const breaking = await serve((request) => request.socket.destroy())
    expect(await ask(breaking)).toMatchObject({ code: 'UNREACHABLE', mayHaveArrived: true })
  })

  test('a caller may give up, with a reason of its own', async () => {
    const url = await serve(() => {})
    const reason = new Error('enough')
    expect(await ask(url, { signal: AbortSignal.abort(reason) })).toBe(reason)
  })

  test('a proxy that cannot serve now says when to come again', async () => {
    const url = await serve((_, response) => void response.writeHead(503, { 'retry-after': '2' }).end('busy'))
    expect(await ask(url)).toMatchObject({ code: 'UNAVAILABLE', retryable: true, retryAfterMs: 2_000 })
  })

  test('something else is NOT_DAYBOOK, and the key does not follow where it points', async () => {
    let asked = false
    const elsewhere = await serve((_, response) => {
      asked = true
      response.end('{"data":{"projects":[]}}')
    })
    const url = await serve((_, response) => void response.writeHead(307, { location: elsewhere }).end())
    expect(await ask(url)).toMatchObject({ code: 'NOT_DAYBOOK', retryable: false })
    expect(asked).toBe(false)
  })

  test('an option that cannot be right is refused at once, without showing the key', () => {
    expect(() => createClient({ url: 'localhost:4000', apiKey: 'dbk_x' })).toThrow(/url is not the URL/)
    expect(() => createClient({ url: 'http://a', apiKey: 'dbk_\nsecret' })).toThrow(
      /^apiKey is not a key of Daybook/,
    )
  })
})
