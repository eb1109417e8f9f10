import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newId } from '@daybook/memory/id'
import { pause } from '@daybook/runtime/backoff'
import { type KeptProcess, startKept } from '@daybook/runtime/testing/kept-process'
import { needing } from '@daybook/runtime/testing/needing'
import { isBare, ofServer } from '@daybook/runtime/testing/needs'
import { sql } from 'kysely'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ensureProject } from './access/projects.ts'
import { APPLICATION_ROLE, type Database, findPooler, openDatabase, serverAddress } from './connect.ts'
import { copyRows } from './copy-rows.ts'
import { isStatementTimeout } from './errors.ts'
import { migrate } from './migrate.ts'
import { type ProjectScope, projectScope } from './project-scope.ts'
import { OWN_POSTGRES, serverUser } from './testing/native-binaries.ts'
import { makeServerFolder, startNativeServer } from './testing/native-server.ts'
import type { NativeServer } from './testing/running-server.ts'

const PGBOUNCER = '/usr/sbin/pgbouncer'

const POOLER = ofServer(
  'PgBouncer before Postgres',
  existsSync(PGBOUNCER) && !isBare() ? null : 'no PgBouncer is installed here (CI=true installs it)',
)

/** Fewer than clients and projects, so that transactions of one client run in the sessions of others. */
const SESSIONS = 2

needing(OWN_POSTGRES, POOLER).describe('a database behind PgBouncer in transaction mode', () => {
  let server: NativeServer
  let pooler: KeptProcess
  let url: string
  let db: Database
  const scopes: ProjectScope[] = []

  beforeAll(async () => {
    server = await startNativeServer()
    const folder = makeServerFolder()
    const settings = join(folder, 'pgbouncer.ini')
    writeFileSync(
      settings,
      `[databases]
postgres = host=${decodeURIComponent(new URL(server.url).host)} user=postgres
[pgbouncer]
unix_socket_dir = ${folder}
listen_port = 6432
auth_type = any
pool_mode = transaction
default_pool_size = ${SESSIONS}
`,
    )
    pooler = startKept([PGBOUNCER, settings], { ...serverUser(), folder, signal: 'INT' })
    url = `postgresql://postgres@${encodeURIComponent(folder)}:6432/postgres`
    while (!existsSync(join(folder, '.s.PGSQL.6432'))) {
      if (pooler.hasEnded()) throw new Error(`PgBouncer did not start:\n${pooler.log()}`)
      await pause(20)
    }
    const address = await findPooler(serverAddress(url))
    await migrate(address)
    db = openDatabase(address)
    for (let n = 0; n < 4; n += 1) scopes.push(projectScope(db, await ensureProject(db, `pooled-${n}`)))
  })
  afterAll(async () => {
    await db?.destroy()
    await pooler?.stop()
    await server?.stop()
  })

  const access = ({ projectId }: ProjectScope) => ({
    project_id: projectId,
    memory_id: newId(),
    accessed_at: new Date(),
    access_count: 1,
  })
  const seen = (handle: Database) =>
    handle
      .selectFrom('memory_access')
      .select('project_id')
      .execute()
      .then((rows) => rows.map((row) => row.project_id))

  it('is seen as such, and a server without one is not', async () => {
    expect((await findPooler(serverAddress(url))).pooled).toBe(true)
    expect((await findPooler(serverAddress(server.url))).pooled).toBe(false)
  })

  it('keeps projects apart while their statements and transactions share sessions', async () => {
    const rounds = Array.from({ length: 40 }, (_, n) => scopes[n % scopes.length]!)
    await Promise.all(
      rounds.map(async (scope, n) => {
        if (n % 3 === 0)
          await scope.db
            .transaction()
            .execute((trx) => trx.insertInto('memory_access').values(access(scope)).execute())
        else await scope.db.insertInto('memory_access').values(access(scope)).execute()
        expect(new Set(await seen(scope.db))).toEqual(new Set([scope.projectId]))
      }),
    )
    expect(await seen(db), 'bound to none').toHaveLength(40)
    const [one, other] = scopes
    await expect(one!.db.insertInto('memory_access').values(access(other!)).execute()).rejects.toThrow(
      /row-level security/u,
    )
  })

  it('works as the application, and leaves nothing of that to the next client', async () => {
    const role = await sql<{ role: string }>`select current_user::text as role`.execute(scopes[0]!.db)
    expect(role.rows).toEqual([{ role: APPLICATION_ROLE }])
    const next = new Client({ connectionString: url })
    await next.connect()
    for (let session = 0; session < SESSIONS * 2; session += 1) {
      const { rows } = await next.query(
        `select current_user::text as role, coalesce(current_setting('daybook.project', true), '') as project`,
      )
      expect(rows).toEqual([{ role: 'postgres', project: '' }])
    }
    await next.end()
  })

  it('undoes a statement that fails, and answers the next', async () => {
    const [scope] = scopes
    const before = await seen(scope!.db)
    const row = access(scope!)
    await expect(scope!.db.insertInto('memory_access').values([row, row]).execute()).rejects.toThrow(
      /duplicate/u,
    )
    await expect(sql`select no_such_column`.execute(scope!.db)).rejects.toMatchObject({ code: '42703' })
    expect(await seen(scope!.db)).toEqual(before)
  })

  it('ends a statement that takes too long', async () => {
    const hasty = openDatabase(await findPooler(serverAddress(url)), { timeoutMs: 50 })
    const error = await sql`select pg_sleep(100)`.execute(hasty).catch((thrown: unknown) => thrown)
    expect(isStatementTimeout(error)).toBe(true)
    await hasty.destroy()
  })

  it('is asked more often than a statement is prepared, in every session', async () => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) => sql<{ n: number }>`select ${n}::int as n`.execute(db)),
    )
    expect(answers.map(({ rows }) => rows[0]?.n)).toEqual(answers.map((_, n) => n))
  })

  it('copies rows out', async () => {
    const taken: number[] = []
    await copyRows(scopes[0]!.db, sql`select n from generate_series(1, 3) as n`, ([n]) => {
      taken.push(n!.readInt32BE(0))
    })
    expect(taken).toEqual([1, 2, 3])
  })
})
