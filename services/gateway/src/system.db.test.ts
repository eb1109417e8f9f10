import { appendOne, createJournalWriter } from '@daybook/journal/append/journal-writer'
import { newId } from '@daybook/memory/id'
import { requestOperation } from '@daybook/operations/request'
import { projectScope } from '@daybook/postgres/project-scope'
import { asOwner } from '@daybook/postgres/testing/as-owner'
import { SERVICE_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { REMEMBER, startTestGateway, type TestClient, type TestGateway } from './testing/test-gateway.ts'

const CHECKS = '{ checks { name status message advice } }'
const SYSTEM = `{
  system { version projects events memories databaseBytes queuedTexts failedTexts
    parts { name configured reachable version problem } }
  generations { projection status lag parked bytes }
}`

interface Check {
  readonly name: string
  readonly status: string
  readonly message: string
  readonly advice: string | null
}

/**
 * What rests on the machine: it may have an older pgvector, a full disk, or so much work that its database answers
 * slowly; a test logs in as who made its database; and
 * an embedded database of the tests does not sync.
 */
const ofTheMachine = ({ name, message }: { readonly name: string; readonly message: string }) =>
  ['pgvector', 'disk', 'role', 'durability'].includes(name) ||
  (name === 'database' && /answers in/u.test(message))

describe.each(SERVICE_DATABASES)('what operators see of a gateway on $name', ({ start, severalSessions }) => {
  let database: TestDatabase
  let running: TestGateway
  let admin: TestClient
  beforeAll(async () => {
    database = await start()
    const environment: Record<string, string> = severalSessions
      ? { DATABASE_URL: 'postgres://configured' }
      : { DAYBOOK_DATA_DIR: '/tmp' }
    running = await startTestGateway(database, undefined, { environment })
    admin = await running.newClient(true)
    const { remember } = await admin.data(REMEMBER, { input: { content: { note: { text: 'a giraffe' } } } })
    await admin.data(`{ search(query: "giraffe", atLeast: ${remember.sequence}) { sequence } }`)
    await vi.waitUntil(
      async () =>
        (await admin.data('{ projections { pendingEmbeddings } }'))['projections'][0].pendingEmbeddings === 0,
    )
  })
  afterAll(async () => {
    await running?.stop()
    await database?.stop()
  })

  const checks = async (): Promise<readonly Check[]> => (await admin.data(CHECKS)).checks
  const wrong = async () => (await checks()).filter(({ status }) => status !== 'OK')

  it('is for keys that may run the whole Daybook', async () => {
    const client = await running.newClient()
    for (const query of [CHECKS, SYSTEM]) {
      const { body } = await client.send(query)
      expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'FORBIDDEN' })
    }
  })

  it('says how much there is, and which parts are reached', async () => {
    const { system, generations } = await admin.data(SYSTEM)
    expect(system).toMatchObject({ projects: expect.any(Number), events: 1, memories: 1, failedTexts: 0 })
    expect(system.databaseBytes).toBeGreaterThan(1_000_000)
    expect(system.parts).toEqual([
      expect.objectContaining({ name: 'DATABASE', reachable: true, problem: null }),
      { name: 'NATS', configured: false, reachable: false, version: null, problem: null },
      { name: 'TYPESENSE', configured: false, reachable: false, version: null, problem: null },
      { name: 'EMBEDDER', configured: true, reachable: true, version: 'test-hash/64', problem: null },
    ])
    expect(generations).toEqual([
      { projection: 'PGVECTOR', status: 'LIVE', lag: 0, parked: 0, bytes: expect.any(Number) },
    ])
    expect(generations[0].bytes).toBeGreaterThan(10_000)
  })

  it('finds nothing wrong where nothing is', async () => {
    const found = await checks()
    expect(found.map(({ name }) => name)).toEqual([
      'database',
      ...(severalSessions ? [] : ['disk']),
      'nats',
      'pgvector',
      'durability',
      'clock',
      'compatibility',
      'migrations',
      'role',
      'embedder',
      'projection pgvector',
      'divergence',
      'parked',
      'self-check',
      'vectors',
      'operations',
      'generations',
      'settings',
    ])
    const own = found.filter((one) => !ofTheMachine(one))
    expect(own.filter(({ status }) => status !== 'OK')).toEqual([])
  })

  it('finds what is parked, what failed, what nobody applies and what nobody takes', async () => {
    const { db } = database
    const scope = projectScope(db, admin.projectId)
    await sql`
      insert into parked_events (projection, generation, project_id, sequence, memory_id, error, attempts)
      values ('pgvector', 1, ${scope.projectId}, 1, ${newId()}, 'broken', 5)`.execute(db)
    await sql`
      insert into embeddings (project_id, model_id, content_hash, text, attempts, last_error, leased_until)
      values (${scope.projectId}, 'other', '\\x01', 'text', 9, 'too strange', now() + interval '1 hour')`.execute(
      db,
    )
    await requestOperation(db, {
      type: 'verify-journal',
      projection: null,
      options: { projectId: null, noted: null },
      requestedBy: null,
    })
    await sql`update operations set created_at = created_at - interval '1 minute'`.execute(db)
    // A projection that nobody writes here.
    await sql`
      insert into generations (projection, generation, status, model_id, dimension)
      values ('typesense', 1, 'live', 'test-hash/64', 64)`.execute(db)
    const found = (await wrong()).filter((one) => !ofTheMachine(one))
    expect(found.map(({ name, status }) => `${name} ${status}`)).toEqual([
      'parked WARNING',
      'vectors WARNING',
      'operations FAILED',
      'settings WARNING',
    ])
    expect(found[1]?.message).toContain('too strange')
    const parked = (sequence: number) =>
      admin.data(
        `{ parkedEvents(projection: PGVECTOR, sequence: ${sequence}) { project sequence error event { type } } }`,
      )
    expect((await parked(1)).parkedEvents).toEqual([
      {
        project: expect.stringMatching(/^test-/u),
        sequence: 1,
        error: 'broken',
        event: { type: 'MemoryRemembered' },
      },
    ])
    expect((await parked(2)).parkedEvents).toEqual([])
    const { system } = await admin.data(SYSTEM)
    expect(system).toMatchObject({ queuedTexts: 1, failedTexts: 1 })
  })

  it('finds a project whose last event lies ahead of the clock', async () => {
    const clock = async () => (await checks()).find(({ name }) => name === 'clock')
    expect(await clock()).toMatchObject({ status: 'OK', advice: null })
    const { projectId } = await database.newProject()
    const record = (moment: string) =>
      asOwner(database, (trx) =>
        sql`update daybook.journal_heads set last_recorded_at = ${moment} where project_id = ${projectId}`.execute(
          trx,
        ),
      )
    await record('2099-01-01T00:00:00Z')
    expect(await clock()).toMatchObject({
      status: 'WARNING',
      message: expect.stringMatching(/of a project was recorded .*"test-.*" at 2099-01-01T00:00:00.000Z/u),
    })
    await record('-infinity')
  })

  it('finds a projection that does not move', async () => {
    const lonely = await startTestGateway(database, undefined, {
      environment: { TYPESENSE_URL: 'http://127.0.0.1:9', TYPESENSE_API_KEY: 'x' },
    })
    const client = await lonely.newClient(true)
    const writer = createJournalWriter(() => {})
    await appendOne(writer, projectScope(database.db, client.projectId), {
      command: { type: 'remember', id: newId(), input: { content: { kind: 'note', fields: { text: 'b' } } } },
      metadata: { actor: null, correlationId: null, causationId: null },
    })
    const found: readonly Check[] = (await client.data(CHECKS)).checks
    const of = (name: string) => found.find((one) => one.name === name)
    expect(of('projection typesense')).toMatchObject({
      status: 'FAILED',
      message: expect.stringMatching(/^\d+ events are not applied yet, and nobody applies them$/u),
    })
    expect(of('typesense')).toMatchObject({
      status: 'FAILED',
      message: expect.stringContaining('does not answer'),
    })
    await lonely.stop()
  })
})
