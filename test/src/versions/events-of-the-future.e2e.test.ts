import { fixedEmbedders } from '@daybook/embeddings/embedders'
import { createHashEmbedder } from '@daybook/embeddings/hash-embedder'
import { createQueueWorkers } from '@daybook/embeddings/queue-workers'
import {
  startTestGateway,
  type TestClient,
  type TestGateway,
  testClient,
} from '@daybook/gateway/testing/test-gateway'
import { appendOne, createJournalWriter } from '@daybook/journal/append/journal-writer'
import { importJournal } from '@daybook/journal/import/import-journal'
import { appendAsAnother } from '@daybook/journal/testing/append-as-another'
import { bytesOf, exported } from '@daybook/journal/testing/exports'
import { note } from '@daybook/journal/testing/requests'
import type * as events from '@daybook/memory/events'
import type { EventData } from '@daybook/memory/events'
import type * as upcasting from '@daybook/memory/upcast'
import { openPgvector } from '@daybook/pgvector/engine'
import { createApiKey } from '@daybook/postgres/access/api-keys'
import { READER_VERSION } from '@daybook/postgres/compatibility'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { asOwner } from '@daybook/postgres/testing/as-owner'
import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { createPositionSignal } from '@daybook/projection/positions/positions'
import { startReindex } from '@daybook/reindex/start'
import { silentLogger } from '@daybook/runtime/logger'
import { createInProcessBus } from '@daybook/transport/in-process/in-process-bus'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { startCli } from '../cli/run-cli.ts'

type Events = typeof events
type Upcast = typeof upcasting

/*
 * This code as two versions of itself: the second knows the fake schema version 2, and what to do with events
 * of version 1.
 */
// Other files of this worker have loaded these modules already, and get them again unchanged.
vi.hoisted(() => vi.resetModules())
afterAll(() => {
  vi.doUnmock('@daybook/memory/events')
  vi.doUnmock('@daybook/memory/upcast')
  vi.resetModules()
})

const code = vi.hoisted(() => ({ version: 1 }))

vi.mock('@daybook/memory/events', async (original) => {
  const actual = await original<Events>()
  return {
    ...actual,
    get SCHEMA_VERSION() {
      return code.version
    },
  }
})

vi.mock('@daybook/memory/upcast', async (original) => {
  const actual = await original<Upcast>()
  const up = (data: unknown): EventData => {
    const { state, ...rest } = data as EventData
    return { ...rest, state: { ...state, labels: [...state.labels, 'of version 1'] } }
  }
  const upcasters = (['MemoryRemembered', 'MemoryRevised'] as const).map((type) => ({ type, from: 1, up }))
  return {
    ...actual,
    upcast: (stored: Parameters<typeof actual.upcast>[0]) =>
      actual.upcast(stored, code.version === 2 ? upcasters : [], code.version),
  }
})

const JOURNAL = '{ journal(first: 100) { sequence status type memory { labels text } } }'
const SEARCH = `query ($query: String!, $labels: [String!], $atLeast: Int) {
  search(query: $query, mode: KEYWORD, atLeast: $atLeast, filter: { labelsAny: $labels }) { hits { memory { id text labels } } } }`
const HISTORY =
  'query ($id: ID!) { memory(id: $id) { text history { edges { node { sequence status memory { text } } } } } }'
const FOLLOW = 'subscription { events(after: 0) { sequence status memory { labels } } }'

/** What a subscription over SSE brings, until there are `count` events. */
async function followed(client: TestClient, count: number): Promise<object[]> {
  const response = await fetch(`${client.url}/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${client.key}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
    },
    body: JSON.stringify({ query: FOLLOW }),
  })
  let text = ''
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    text += Buffer.from(part).toString('utf8')
    const events = [...text.matchAll(/^data: (\{"data".*\})$/gmu)].map(
      (line) => JSON.parse(line[1] ?? '').data.events,
    )
    // To leave the loop cancels the body, and so ends the subscription.
    if (events.length >= count) return events
  }
  throw new Error(`the subscription ended: ${text}`)
}

const KINDS = TEST_DATABASES.map((kind, index) => ({
  kind,
  other: TEST_DATABASES[TEST_DATABASES.length - 1 - index] ?? kind,
}))

describe.each(KINDS)('events of other versions, on $kind.name', ({ kind, other }) => {
  let database: TestDatabase
  let elsewhere: TestDatabase
  const ends: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    database = await kind.start()
    elsewhere = await other.start()
  })
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end()
    code.version = 1
  })
  afterAll(async () => {
    await database?.stop()
    await elsewhere?.stop()
  })

  const openGateway = async (): Promise<TestGateway> => {
    const gateway = await startTestGateway(database)
    ends.push(gateway.stop)
    return gateway
  }
  const clientOf = async ({ gateway }: TestGateway, { projectId }: ProjectScope): Promise<TestClient> => {
    const key = await asOwner(database, (owner) => createApiKey(owner, projectId, `key of ${projectId}`))
    return testClient(gateway.url, key, projectId)
  }
  const remember = async (scope: ProjectScope, text: string) =>
    (
      await appendOne(
        createJournalWriter(() => {}),
        scope,
        note(text),
      )
    ).memory.state
  const search = async (client: TestClient, query: string, labels: string[] | null = null, atLeast = 0) =>
    (await client.data(SEARCH, { query, labels, atLeast })).search.hits.map(
      ({ memory }: { memory: { text: string } }) => memory.text,
    )
  const journal = async (client: TestClient) => (await client.data(JOURNAL)).journal
  const moved = async (scope: ProjectScope): Promise<void> => {
    const text = await exported(database.db, [scope.projectId])
    await importJournal(elsewhere.db, bytesOf(text))
    expect(await exported(elsewhere.db, [scope.projectId])).toBe(text)
  }

  it('what this version cannot read is passed on, and applied once a newer version is here', async () => {
    const scope = await database.newProject()
    const state = await remember(scope, 'the heron stands in the reeds')
    await appendAsAnother(scope, { type: 'MemoryDreamt', data: { of: 'sheep' } })
    const content = { text: 'the crane stands in the reeds' }
    await appendAsAnother(scope, {
      type: 'MemoryRevised',
      schemaVersion: 2,
      memoryId: state.id,
      version: 2,
      data: { state: { ...state, content, labels: ['of version 2'] }, changed: ['content.text'] },
    })
    await remember(scope, 'the heron flies up')
    const client = await clientOf(await openGateway(), scope)

    const statuses = ['READABLE', 'OPAQUE', 'OPAQUE', 'READABLE'].map((status, index) => ({
      sequence: index + 1,
      status,
      memory: status === 'OPAQUE' ? null : expect.anything(),
    }))
    // The projector went on with the other memories.
    await expect.poll(() => search(client, 'heron')).toHaveLength(2)
    expect(await journal(client)).toMatchObject(statuses)
    expect(await followed(client, 4)).toMatchObject(statuses)
    const { hits } = (await client.data(SEARCH, { query: 'stands' })).search
    const { memory } = await client.data(HISTORY, { id: hits[0]?.memory.id })
    expect(memory.text).toContain('heron')
    expect(
      memory.history.edges.map(({ node }: { node: { status: string } }) => node.status).toSorted(),
    ).toEqual(['OPAQUE', 'READABLE'])
    const tail = startCli(['tail', '--after', '0'], { DAYBOOK_URL: client.url, DAYBOOK_API_KEY: client.key })
    await vi.waitUntil(() => tail.stdout().split('\n').length > 4)
    tail.process.kill('SIGINT')
    await tail.ended
    expect(tail.stdout().match(/cannot be read here/gu)).toHaveLength(2)
    await moved(scope)

    const parked = () =>
      database.db
        .selectFrom('parked_events')
        .select(['sequence', 'unreadable_by'])
        .where('project_id', '=', scope.projectId)
        .orderBy('sequence')
        .execute()
    expect(await parked()).toEqual([
      { sequence: 2, unreadable_by: READER_VERSION },
      { sequence: 3, unreadable_by: READER_VERSION },
    ])
    code.version = 2
    const embedders = fixedEmbedders([createHashEmbedder({ dimension: 64 })])
    const { db } = database
    const reindex = startReindex({
      db,
      bus: createInProcessBus(),
      signal: createPositionSignal(),
      logger: silentLogger,
      embedders,
      workers: createQueueWorkers({ db, embedders, logger: silentLogger }),
      engines: [openPgvector({ oneConnection: !kind.severalSessions, indexWorkers: 0 })],
      keepOldMs: 3_600_000,
      readerVersion: READER_VERSION + 1,
    })
    ends.push(reindex.stop)
    await expect.poll(() => search(client, 'crane')).toEqual([content.text])
    // An event of a type that no version knows stays parked, and is not retried forever.
    await expect.poll(parked).toEqual([{ sequence: 2, unreadable_by: READER_VERSION + 1 }])
  })

  it('what version 1 wrote is read by version 2 through its upcaster, and stays as it was', async () => {
    const scope = await database.newProject()
    const { id } = await remember(scope, 'an otter dives')
    code.version = 2
    const client = await clientOf(await openGateway(), scope)
    expect(await search(client, 'otter', ['of version 1'], 1)).toEqual(['an otter dives'])
    const told = [{ sequence: 1, status: 'READABLE', memory: { labels: ['of version 1'] } }]
    expect(await journal(client)).toMatchObject(told)
    expect(await followed(client, 1)).toEqual(told)

    const writer = createJournalWriter(() => {})
    const input = { content: { kind: 'note', fields: { text: 'two otters dive' } } }
    await appendOne(writer, scope, { ...note(''), command: { type: 'revise', id, input } })
    expect(await search(client, 'otters', ['of version 1'], 2)).toEqual(['two otters dive'])
    const lines = (await exported(database.db, [scope.projectId]))
      .split('\n')
      .filter((line) => line.startsWith('{"event"'))
    const written = lines.map((line) => JSON.parse(line).event)
    expect(written.map(({ schemaVersion, data }) => [schemaVersion, data.state.labels])).toEqual([
      [1, []],
      [2, ['of version 1']],
    ])
    await moved(scope)
  })
})
