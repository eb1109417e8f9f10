import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { SOCKET_PORT, socketPath } from '@daybook/postgres/embedded/host-folder'
import { createNativeDatabase, POSTGRES } from '@daybook/postgres/testing/test-database'
import { pause } from '@daybook/runtime/backoff'
import { lockHolder } from '@daybook/runtime/exclusive-lock'
import { needing } from '@daybook/runtime/testing/needing'
import { rawConnection } from '@daybook/runtime/testing/raw-http'
import { Client } from 'pg'
import { afterEach, describe, expect, it } from 'vitest'
import { untilGone } from '../support/child-process.ts'
import { createTestDaemon, type TestDaemon } from '../support/daemon.ts'
import { dataOf } from '../support/graphql.ts'

/** A statement that runs for hours. */
const ENDLESS = 'select count(*) from generate_series(1, 100000000000)'

describe('a daemon that is stopped ends within 10 s', () => {
  const daemons: TestDaemon[] = []
  const clients: Client[] = []
  const sockets: Socket[] = []
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    for (const client of clients.splice(0)) await client.end().catch(() => {})
    // The last started first: two may share a folder.
    for (const daemon of daemons.splice(0).toReversed()) await daemon.remove()
  })
  const startDaemon = async (environment: Record<string, string> = {}, dataDir?: string) => {
    const daemon = createTestDaemon(dataDir)
    daemons.push(daemon)
    await daemon.start({ environment: { DAYBOOK_EMBEDDER: 'test-hash/384', ...environment } })
    return daemon
  }
  const clientOf = async (options: ConstructorParameters<typeof Client>[0]) => {
    const client = new Client(options)
    clients.push(client)
    client.on('error', () => {})
    await client.connect()
    return client
  }
  const embeddedClient = ({ dataDir }: TestDaemon) =>
    clientOf({
      host: dirname(socketPath(dataDir)),
      port: SOCKET_PORT,
      user: 'postgres',
      database: 'postgres',
    })
  const send = async (daemon: TestDaemon, request: string, body = ''): Promise<Socket> => {
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
  const remember = (daemon: TestDaemon, inputs: object[]) =>
    daemon
      .graphql({
        query: 'mutation ($inputs: [RememberInput!]!) { rememberMany(inputs: $inputs) { __typename } }',
        variables: { inputs },
      })
      .then(dataOf)
  const operations = async (daemon: TestDaemon) =>
    dataOf(
      await daemon.graphql<{ operations: { status: string; phase: string }[] }>({
        query: '{ operations { status phase } }',
      }),
    ).operations
  /*
   * That it ends by its own limit, which is under 10 s, and not by the test's, which says null. The limit itself is tested on a clock that
   * is moved by hand, in end-in-time.test.ts.
   */
  const stopped = async (daemon: TestDaemon) => expect(await daemon.stop()).not.toBeNull()

  it('in the middle of a rebuild, an export that nobody reads and an import that stalls', async () => {
    const daemon = await startDaemon()
    // More than what the kernel buffers for a reader who has stopped; as metadata, so that no words and vectors are made of it.
    for (let batch = 0; batch < 6; batch += 1)
      await remember(
        daemon,
        Array.from({ length: 50 }, (_, i) => ({
          content: { note: { text: `note ${batch} ${i}` } },
          metadata: { filler: 'lorem ipsum '.repeat(1_350) },
        })),
      )
    await send(daemon, 'GET /journal/export', '\r\n')
    await send(daemon, 'POST /journal/import', 'Content-Length: 1000000\r\n\r\n{"daybook')
    dataOf(await daemon.graphql({ query: 'mutation { reindex(projection: PGVECTOR) { __typename } }' }))
    while ((await operations(daemon))[0]?.status !== 'RUNNING') await pause(20)
    await stopped(daemon)

    // Nothing waits for the lease of the process before.
    await daemon.start({ environment: { DAYBOOK_EMBEDDER: 'test-hash/384' } })
    for (;;) {
      const [operation] = await operations(daemon)
      if (operation?.status === 'SUCCEEDED') break
      expect(operation?.status).toBe('RUNNING')
      await pause(100)
    }
  })

  it('in the middle of a long statement of the embedded database, which keeps what it had', async () => {
    const daemon = await startDaemon()
    await remember(daemon, [{ content: { note: { text: 'kept' } } }])
    const blocked = (await embeddedClient(daemon)).query(ENDLESS)
    const ended = blocked.then(
      () => 'ended',
      () => 'cut',
    )
    await pause(300)
    await stopped(daemon)
    expect(await ended).toBe('cut')
    await daemon.start()
    expect(
      dataOf(await daemon.graphql<{ journal: object[] }>({ query: '{ journal { memory { text } } }' }))
        .journal,
    ).toEqual([{ memory: { text: 'kept' } }])
  })

  it('a second signal ends it and its database at once', async () => {
    const daemon = await startDaemon()
    const database = daemon.databasePid() ?? 0
    void (await embeddedClient(daemon)).query(ENDLESS).catch(() => {})
    await pause(300)
    const pid = daemon.pid() ?? 0
    process.kill(pid, 'SIGTERM')
    while (lockHolder(join(daemon.dataDir, 'daemon.lock'))['stopping'] !== true) await pause(10)
    process.kill(pid, 'SIGTERM')
    expect(await untilGone(pid)).toBe(true)
    expect(await untilGone(database)).toBe(true)
    // It waited for nothing: it says neither that it has stopped nor that it was cut off.
    expect(daemon.output()).not.toMatch(/has stopped|was cut off/u)
  })

  it('a second start on its folder waits for the stop', async () => {
    const first = await startDaemon()
    void (await embeddedClient(first)).query(ENDLESS).catch(() => {})
    await pause(300)
    const stopping = stopped(first)
    while (lockHolder(join(first.dataDir, 'daemon.lock'))['stopping'] !== true) await pause(10)
    const second = await startDaemon({}, first.dataDir)
    await stopping
    expect(dataOf(await second.graphql({ query: '{ projections { name } }' }))).toHaveProperty('projections')
  })

  needing(POSTGRES).test('while a server keeps every statement waiting, and cancels those', async () => {
    const database = await createNativeDatabase()
    const daemon = await startDaemon({ DATABASE_URL: database.url })
    const other = await clientOf({ connectionString: database.url })
    await other.query('begin; lock table daybook.journal_heads in access exclusive mode')
    const unanswered = remember(daemon, [{ content: { note: { text: 'late' } } }]).catch(() => null)
    await pause(500)
    await stopped(daemon)
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
