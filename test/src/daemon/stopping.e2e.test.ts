import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { createNativeDatabase, POSTGRES } from '@daybook/postgres/testing/test-database'
import { pause } from '@daybook/runtime/backoff'
import { lockHolder } from '@daybook/runtime/exclusive-lock'
import { needing } from '@daybook/runtime/testing/needing'
import { rawConnection } from '@daybook/runtime/testing/raw-http'
import { Client } from 'pg'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { databaseOf } from '../support/ask-database.ts'
import { untilGone } from '../support/child-process.ts'
import { createTestDaemon, type TestDaemon } from '../support/daemon.ts'
import { dataOf } from '../support/graphql.ts'

/** A statement that runs for hours. */
const ENDLESS = 'select count(*) from generate_series(1, 100000000000)'

describe('a daemon that is stopped ends within 10 s', () => {
  const daemons: TestDaemon[] = []
  /** That of the test before, or a new one. */
  let daemon: TestDaemon
  const clients: Client[] = []
  const sockets: Socket[] = []
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    for (const client of clients.splice(0)) await client.end().catch(() => {})
  })
  afterAll(async () => {
    // The last started first: two share a folder.
    for (const one of daemons.toReversed()) await one.remove()
  })
  const startDaemon = async (environment: Record<string, string> = {}, dataDir?: string) => {
    const started = createTestDaemon(dataDir, {
      environment: { DAYBOOK_EMBEDDER: 'test-hash/384', ...environment },
    })
    daemons.push(started)
    await started.start()
    return started
  }
  const clientOf = async (options: ConstructorParameters<typeof Client>[0]) => {
    const client = new Client(options)
    clients.push(client)
    client.on('error', () => {})
    await client.connect()
    return client
  }
  /**
   * Has the embedded database work on a statement for hours, with its one thread. Then its process is halted: it reacts to as little as before,
   * and takes no core of this machine.
   * @returns what became of the statement
   */
  const blockDatabase = async () => {
    const client = await clientOf(databaseOf(daemon))
    const ended = client.query(ENDLESS).then(
      () => 'ended',
      () => 'cut',
    )
    await pause(300)
    const pid = daemon.databasePid()
    if (pid === undefined) throw new Error('the daemon has no database')
    process.kill(pid, 'SIGSTOP')
    return { ended }
  }
  const send = async (request: string, body = ''): Promise<Socket> => {
    const url = daemon.url()
    if (url === null) throw new Error('the daemon is stopped')
    const socket = await rawConnection(url)
    sockets.push(socket)
    const key = readFileSync(join(daemon.dataDir, 'api-key'), 'utf8').trim()
    socket.pause()
    socket.write(
      `${request} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nAuthorization: Bearer ${key}\r\n${body}`,
    )
    return socket
  }
  const remember = (inputs: object[]) =>
    daemon
      .graphql({
        query: 'mutation ($inputs: [RememberInput!]!) { rememberMany(inputs: $inputs) { __typename } }',
        variables: { inputs },
      })
      .then(dataOf)
  const operations = async () =>
    dataOf(
      await daemon.graphql<{ operations: { status: string; phase: string }[] }>({
        query: '{ operations { status phase } }',
      }),
    ).operations
  /*
   * That it ends by its own limit, which is under 10 s, and not by the test's, which says null. The limit itself is tested on a clock that
   * is moved by hand, in end-in-time.test.ts.
   */
  const stopped = async () => expect(await daemon.stop()).not.toBeNull()

  it('in the middle of a long statement of the embedded database, which keeps what it had', async () => {
    daemon = await startDaemon()
    await remember([{ content: { note: { text: 'kept' } } }])
    const { ended } = await blockDatabase()
    await stopped()
    expect(await ended).toBe('cut')
    await daemon.start()
    expect(
      dataOf(await daemon.graphql<{ journal: object[] }>({ query: '{ journal { memory { text } } }' }))
        .journal,
    ).toEqual([{ memory: { text: 'kept' } }])
  })

  it('a second signal ends it and its database at once', async () => {
    const database = daemon.databasePid() ?? 0
    await blockDatabase()
    const pid = daemon.pid() ?? 0
    const printed = daemon.output().length
    process.kill(pid, 'SIGTERM')
    while (lockHolder(join(daemon.dataDir, 'daemon.lock'))['stopping'] !== true) await pause(10)
    process.kill(pid, 'SIGTERM')
    expect(await untilGone(pid)).toBe(true)
    expect(await untilGone(database)).toBe(true)
    // It waited for nothing: it says neither that it has stopped nor that it was cut off.
    expect(daemon.output().slice(printed)).not.toMatch(/has stopped|was cut off/u)
  })

  it('a second start on its folder waits for the stop', async () => {
    // Until we have heard of its end, too.
    await daemon.kill()
    await daemon.start()
    await blockDatabase()
    const stopping = stopped()
    while (lockHolder(join(daemon.dataDir, 'daemon.lock'))['stopping'] !== true) await pause(10)
    daemon = await startDaemon({}, daemon.dataDir)
    await stopping
    expect(dataOf(await daemon.graphql({ query: '{ projections { name } }' }))).toHaveProperty('projections')
  })

  it('in the middle of a rebuild, an export that nobody reads and an import that stalls', async () => {
    // More than what the kernel buffers for a reader who has stopped; as metadata, so that no words and vectors are made of it.
    for (let batch = 0; batch < 6; batch += 1)
      await remember(
        Array.from({ length: 50 }, (_, i) => ({
          content: { note: { text: `note ${batch} ${i}` } },
          metadata: { filler: 'lorem ipsum '.repeat(1_350) },
        })),
      )
    await send('GET /journal/export', '\r\n')
    await send('POST /journal/import', 'Content-Length: 1000000\r\n\r\n{"daybook')
    dataOf(await daemon.graphql({ query: 'mutation { reindex(projection: PGVECTOR) { __typename } }' }))
    while ((await operations())[0]?.status === 'QUEUED') await pause(20)
    await stopped()

    // Nothing waits for the lease of the process before.
    await daemon.start()
    for (;;) {
      const [operation] = await operations()
      if (operation?.status === 'SUCCEEDED') break
      expect(operation?.status).toBe('RUNNING')
      await pause(100)
    }
  })

  needing(POSTGRES).test('while a server keeps every statement waiting, and cancels those', async () => {
    const database = await createNativeDatabase()
    daemon = await startDaemon({ DATABASE_URL: database.url })
    const other = await clientOf({ connectionString: database.url })
    await other.query('begin; lock table daybook.journal_heads in access exclusive mode')
    const unanswered = remember([{ content: { note: { text: 'late' } } }]).catch(() => null)
    await pause(500)
    await stopped()
    await unanswered
    const { rows } = await other.query(
      `select query from pg_stat_activity where datname = $1 and pid <> pg_backend_pid() and state = 'active' and backend_type = 'client backend'`,
      [database.name],
    )
    expect(rows).toEqual([])
    await other.end()
    await daemon.remove()
    await database.drop()
  })
})
