import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CHAIN_START } from '@daybook/memory/event-hash'
import { pause } from '@daybook/runtime/backoff'
import { HANGS_MS } from '../../support/child-process.ts'
import type { TestDaemon } from '../../support/daemon.ts'
import { askGraphQL, dataOf } from '../../support/graphql.ts'
import type { Tenant } from '../tenants.ts'

/** A question of a follower and what its home answered. */
export interface Exchange {
  readonly method: string
  /** With its query. */
  readonly path: string
  /** Null if there was none. */
  readonly body: unknown
  /** Parsed; of a stream its lines. */
  readonly answer: unknown
}

interface Recorder {
  readonly url: string
  readonly exchanges: readonly Exchange[]
  stop(): Promise<void>
}

/** Stands before a home, and keeps what passes. */
async function startRecorder(home: string): Promise<Recorder> {
  const exchanges: Exchange[] = []
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const text = Buffer.concat(parts).toString('utf8')
    const { host: _, 'content-length': __, connection: ___, ...headers } = request.headers
    const left = new AbortController()
    response.once('close', () => left.abort())
    const answer = await fetch(`${home}${request.url}`, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      signal: left.signal,
      ...(text !== '' && { body: text }),
    })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
    const exchange = { method: request.method ?? '', path: request.url ?? '', body: parseOrNull(text) }
    if (request.method === 'POST') {
      const said = await answer.text()
      exchanges.push({ ...exchange, answer: parseOrNull(said) })
      response.end(said)
      return
    }
    const lines: unknown[] = []
    exchanges.push({ ...exchange, answer: lines })
    let begun = ''
    const decoder = new TextDecoder()
    for await (const chunk of answer.body ?? []) {
      const [rest = '', ...whole] = (begun + decoder.decode(chunk as Uint8Array, { stream: true }))
        .split('\n')
        .toReversed()
      begun = rest
      lines.push(...whole.toReversed().map(parseOrNull))
      response.write(chunk)
    }
    response.end()
  }
  const server = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanges,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** @returns null if it is no JSON */
function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const FOLLOW = `mutation ($url: String!, $key: String!, $project: String!) {
  followProject(url: $url, key: $key, project: $project) {
    __typename ... on Following { followed { project { id } } } ... on DaybookError { message } } }`
const STATUS = `{ followedProjects { project { id } state copied } }`
const CREATE_KEY = `mutation ($id: String!) { createKey(input: { name: "writer", projects: [$id], scopes: [READ, WRITE, ADMIN] }) {
  ... on CreatedKey { key } } }`
const UNFOLLOW = `mutation ($id: ID!) { unfollowProject(id: $id, dropUnshared: true) { __typename } }`
const REMEMBER = `mutation ($input: RememberInput!) { remember(input: $input) {
  __typename ... on Remembered { memory { id } } ... on DaybookError { message } } }`
const CHANGES = [
  `mutation ($id: ID!) { revise(id: $id, input: { labels: ["changed"], importance: 4 }) { __typename } }`,
  `mutation ($id: ID!) { resolveTodo(id: $id) { __typename } }`,
  `mutation ($id: ID!) { forget(id: $id) { __typename } }`,
  `mutation ($id: ID!) { restore(id: $id) { __typename } }`,
]

/**
 * What a follower and a home say to each other: copying, writing in every way, and an erasure. The follower leaves
 * afterwards. What a short run does not come to (finding a common place, vectors, handing over) is made up beside it.
 */
export async function recordExchanges(
  home: TestDaemon,
  follower: TestDaemon,
  { key, projectId }: Tenant,
): Promise<readonly Exchange[]> {
  const recorder = await startRecorder(home.url() ?? '')
  try {
    await following(follower, { url: recorder.url, key, project: projectId })
    const own = dataOf(
      await follower.graphql<{ createKey: { key: string } }>({
        query: CREATE_KEY,
        variables: { id: projectId },
      }),
    ).createKey.key
    const api = { url: follower.url() ?? '', apiKey: own }
    for (const content of [
      { note: { text: 'a note that is written at the follower' } },
      { todo: { description: 'something to be done' } },
      { document: { title: 'a page', content: 'words of a page. '.repeat(300) } },
    ]) {
      const input = { content, context: 'fuzz', labels: ['one'], metadata: { of: 'the run' } }
      const { remember } = dataOf(
        await askGraphQL<{ remember: { memory?: { id: string }; message?: string } }>(api, {
          query: REMEMBER,
          variables: { input },
        }),
      )
      if (remember.memory === undefined) throw new Error(remember.message)
      for (const query of CHANGES)
        dataOf(await askGraphQL(api, { query, variables: { id: remember.memory.id } }))
      if ('note' in content)
        dataOf(
          await askGraphQL(api, {
            query: 'mutation ($id: ID!) { erase(id: $id) { __typename } }',
            variables: { id: remember.memory.id },
          }),
        )
    }
    const lines = () => recorder.exchanges.flatMap(({ answer }) => (Array.isArray(answer) ? answer : []))
    const written = Math.max(
      ...recorder.exchanges
        .flatMap(({ answer }) => JSON.stringify(answer).match(/(?<="sequence":)\d+/gu) ?? [])
        .map(Number),
    )
    await until(() =>
      lines().some((line) => (line as { event?: { sequence: number } }).event?.sequence === written),
    )
    dataOf(await follower.graphql({ query: UNFOLLOW, variables: { id: projectId } }))
  } finally {
    await recorder.stop()
  }
  const [event] = eventsOf(recorder.exchanges)
  const place = { sequence: 1, hash: event?.['hash'] ?? CHAIN_START }
  const hash = 'ab'.repeat(32)
  const chunk = {
    start: 0,
    end: 10,
    tokens: 3,
    vector: `[${Array.from({ length: 384 }, () => '.05').join(',')}]`,
  }
  return [
    ...recorder.exchanges,
    { method: 'POST', path: '/sync/common', body: { places: [place] }, answer: { common: 1 } },
    {
      method: 'POST',
      path: '/sync/vectors',
      body: { modelId: 'minilm', hashes: [hash] },
      answer: { texts: [{ hash, tokenBits: null, chunks: [chunk] }] },
    },
    {
      method: 'POST',
      path: '/sync/hand-over',
      body: { epoch: 2, url: 'https://daybook.example', key: 'dbk_x', at: place },
      answer: { handedOver: true, head: place },
    },
  ]
}

/** The events of all streams, as lines of an export have them. */
export function eventsOf(exchanges: readonly Exchange[]): readonly Record<string, unknown>[] {
  const lines = exchanges.flatMap(({ answer }) => (Array.isArray(answer) ? answer : []))
  return lines.flatMap((line) => {
    const { event } = (line ?? {}) as { event?: Record<string, unknown> }
    return event === undefined ? [] : [event]
  })
}

async function following(
  follower: TestDaemon,
  variables: { readonly url: string; readonly key: string; readonly project: string },
): Promise<void> {
  const { followProject } = dataOf(
    await follower.graphql<{ followProject: { __typename: string; message?: string } }>({
      query: FOLLOW,
      variables,
    }),
  )
  if (followProject.__typename !== 'Following') throw new Error(followProject.message)
  await until(async () => {
    const { followedProjects } = dataOf(
      await follower.graphql<{ followedProjects: { state: string }[] }>({ query: STATUS }),
    )
    return followedProjects.some(({ state }) => state === 'CONNECTED')
  })
}

async function until(is: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + HANGS_MS; !(await is()); await pause(20))
    if (Date.now() > end) throw new Error('what is recorded did not happen')
}
