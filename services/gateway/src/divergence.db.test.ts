import { loseTail } from '@daybook/journal/testing/lose-tail'
import { projectScope } from '@daybook/postgres/project-scope'
import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { createClient } from 'graphql-ws'
import { describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { useTestGateway } from './testing/test-gateway.ts'

const REMEMBER = `mutation ($text: String!) {
  remember(input: { content: { note: { text: $text } } }) { ... on Remembered { sequence hash } }
}`
const JOURNAL =
  'query ($after: Int, $hash: String) { journal(after: $after, afterHash: $hash) { sequence hash } }'

interface Receipt {
  readonly sequence: number
  readonly hash: string
}

describe.each(SERVICE_DATABASES)('clients of a journal that lost its end, on $name', ({ start }) => {
  const suite = useTestGateway(start)

  const remember = async (times: number): Promise<Receipt[]> => {
    const receipts: Receipt[] = []
    for (let index = 0; index < times; index += 1)
      receipts.push((await suite.client.data(REMEMBER, { text: `note ${index}` })).remember)
    return receipts
  }
  const lose = (keep: number) =>
    loseTail(suite.database, projectScope(suite.database.db, suite.client.projectId), keep)
  const failure = async (query: string, variables: object) => {
    const { body } = await suite.client.send(query, variables)
    const [error] = body.errors ?? []
    return { message: error?.message, ...error?.extensions }
  }

  test('receipts and events name their place by its hash, and cursors accept it', async () => {
    const receipts = await remember(3)
    const { journal } = await suite.client.data(JOURNAL, { after: 0 })
    expect(journal).toEqual(receipts)
    const [, second, third] = receipts
    expect(await suite.client.data(JOURNAL, { after: 2, hash: second?.hash })).toEqual({ journal: [third] })
    await suite.client.data(
      'query ($s: Int!, $h: String!) { search(query: "note", atLeast: $s, atLeastHash: $h) { sequence } }',
      { s: 3, h: third?.hash },
    )
  })

  test('a receipt is told at once that what it acknowledged is lost', async () => {
    const receipts = await remember(4)
    await lose(2)
    const [, second, third, fourth] = receipts
    const lost = { code: 'DIVERGED', head: 2, message: expect.stringContaining('last sequence is 2') }
    const search =
      'query ($s: Int!, $h: String) { search(query: "x", atLeast: $s, atLeastHash: $h) { sequence } }'
    // Time stands still: who waits for anything gets no answer.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      expect(await failure(search, { s: 4, h: fourth?.hash })).toMatchObject(lost)
      expect(
        await failure(
          'query ($s: Int!, $h: String) { memory(id: "note:x", atLeast: $s, atLeastHash: $h) { id } }',
          { s: 3, h: third?.hash },
        ),
      ).toMatchObject(lost)
      expect(await failure(JOURNAL, { after: 4, hash: fourth?.hash })).toMatchObject(lost)
    } finally {
      vi.runOnlyPendingTimers()
      vi.useRealTimers()
    }
    await remember(2)
    expect(await failure(search, { s: 4, h: fourth?.hash })).toMatchObject({ code: 'DIVERGED', head: 4 })
    expect(await failure(JOURNAL, { after: 4, hash: fourth?.hash })).toMatchObject({ code: 'DIVERGED' })
    expect((await suite.client.data(JOURNAL, { after: 2, hash: second?.hash })).journal).toHaveLength(2)
    expect(await failure(search, { s: 99 })).toMatchObject({ code: 'DIVERGED', head: 4 })
  })

  test('a hash without its sequence, or what is no hash, is refused, naming the field', async () => {
    expect(await failure(JOURNAL, { after: 0, hash: 'x' })).toMatchObject({ field: 'afterHash' })
    const search = 'query ($h: String) { search(query: "x", atLeastHash: $h) { sequence } }'
    expect(await failure(search, { h: 'a'.repeat(64) })).toMatchObject({ field: 'atLeast' })
  })

  test.each([
    ['shorter', 0],
    ['as long', 2],
    ['longer', 4],
  ])('a live subscription ends where the journal is replaced by one that is %s', async (_, more) => {
    await remember(5)
    const seen: number[] = []
    const socket = createClient({
      url: `${suite.client.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { Authorization: `Bearer ${suite.client.key}` },
      retryAttempts: 0,
    })
    const ended = new Promise<unknown>((resolve) => {
      socket.subscribe<{ events: { sequence: number } }>(
        { query: 'subscription { events(after: 0) { sequence } }' },
        {
          next: ({ data, errors }) => {
            if (data?.events != null) seen.push(data.events.sequence)
            if (errors !== undefined) resolve(errors[0]?.extensions)
          },
          error: (error) => resolve((error as { extensions?: unknown }[])[0]?.extensions ?? error),
          complete: () => resolve('complete'),
        },
      )
    })
    await expect.poll(() => seen).toEqual([1, 2, 3, 4, 5])
    await lose(3)
    await remember(more)
    expect(await ended).toMatchObject({ code: 'DIVERGED', lastCommon: 3 })
    expect(seen).toEqual([1, 2, 3, 4, 5])
    await socket.dispose()
  })

  test('a journal that cannot be healed is reported by /ready, projections and checks', async () => {
    await remember(3)
    await suite.client.data('{ search(query: "note", atLeast: 3) { sequence } }')
    await lose(0)
    const ready = () => fetch(`${suite.client.url}/ready`)
    await expect.poll(async () => (await ready()).status).toBe(503)
    expect(await (await ready()).json()).toEqual({
      ready: false,
      degraded: [],
      problems: [expect.stringContaining('DIVERGED: pgvector')],
    })
    const { projections } = await suite.client.data('{ projections { name position head lag status } }')
    expect(projections).toEqual([{ name: 'pgvector', position: 3, head: 0, lag: -3, status: 'diverged' }])
    const admin = await suite.running.newClient(true)
    const { checks } = await admin.data('{ checks { name status message } }')
    expect(checks).toContainEqual({
      name: 'divergence',
      status: 'FAILED',
      message: expect.stringContaining('in 1 project;'),
    })
  })
})
