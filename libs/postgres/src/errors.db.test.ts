import { createServer } from 'node:net'
import { newId } from '@daybook/memory/id'
import { needing } from '@daybook/runtime/testing/needing'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openDatabase, serverAddress } from './connect.ts'
import { isDatabaseUnavailable, isDiskFull, whyUnavailable } from './errors.ts'
import { POSTGRES, TEST_DATABASES, type TestDatabase } from './testing/test-database.ts'

const reasonOf = async (run: Promise<unknown>): Promise<unknown> => {
  try {
    await run
  } catch (error) {
    return error
  }
  throw new Error('it did not fail')
}
const isUnavailable = async (run: Promise<unknown>) => isDatabaseUnavailable(await reasonOf(run))

describe.each(TEST_DATABASES)('errors of $name', ({ start }) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await start()
  })
  afterAll(() => database.stop())

  it('of a statement that is wrong do not mean that the database is unavailable', async () => {
    const { db } = database
    const project = { id: newId(), name: 'taken' }
    await db.insertInto('projects').values(project).execute()
    expect(await isUnavailable(sql`selec 1`.execute(db))).toBe(false)
    expect(await isUnavailable(sql`select 1 / 0`.execute(db))).toBe(false)
    expect(await isUnavailable(sql`select ${'\u0000'}::text`.execute(db))).toBe(false)
    expect(await isUnavailable(sql`select * from no_such_table`.execute(db))).toBe(false)
    expect(await isUnavailable(sql`delete from events`.execute(db))).toBe(false)
    expect(await isUnavailable(db.insertInto('projects').values(project).execute())).toBe(false)
  })

  it('of a statement that was running, or is begun, while it goes away do', async () => {
    const { db } = database
    const days = sql`select count(*) from generate_series(1, 1e5) a, generate_series(1, 1e5) b, generate_series(1, 1e5) c`
    const running = reasonOf(days.execute(db))
    // Time to begin. Where it is too short, the statement is one that is begun while the database goes away.
    await new Promise((turn) => setTimeout(turn, 300))
    const bringBack = await database.outage()
    expect(isDatabaseUnavailable(await running)).toBe(true)
    expect(await isUnavailable(sql`select 1`.execute(db))).toBe(true)
    await bringBack()
    expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
  })

  it('of a transaction in which it goes away do', async () => {
    const { db } = database
    let bringBack = async () => {}
    const transaction = db.transaction().execute(async (trx) => {
      await sql`select 1`.execute(trx)
      bringBack = await database.outage()
      await sql`select 1`.execute(trx)
    })
    expect(await isUnavailable(transaction)).toBe(true)
    await bringBack()
  })

  it('of a connection that is idle when it breaks are heard of and end nothing; of a closed handle they do', async () => {
    const own = await start()
    // The embedded database has one session: give the suite's back before another takes it.
    await own.db.destroy()
    const heard: Error[] = []
    const db = openDatabase(own.address, { onConnectionError: (error) => heard.push(error) })
    await sql`select 1`.execute(db)
    const bringBack = await own.outage()
    await vi.waitUntil(() => heard.length > 0)
    await bringBack()
    expect(heard.every(isDatabaseUnavailable)).toBe(true)
    expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
    await db.destroy()
    expect(await isUnavailable(sql`select 1`.execute(db))).toBe(true)
    await own.stop()
  })
})

describe('a server that', () => {
  const errorOf = async (url: string) => {
    const db = openDatabase(serverAddress(url))
    return reasonOf(sql`select 1`.execute(db)).finally(() => db.destroy())
  }

  it('does not listen, has no such name or hangs up is unavailable', async () => {
    const hangingUp = createServer((socket) => socket.destroy())
    await new Promise<void>((listening) => hangingUp.listen(0, '127.0.0.1', listening))
    const { port } = hangingUp.address() as { port: number }
    expect(isDatabaseUnavailable(await errorOf(`postgres://u@127.0.0.1:${port}/d`))).toBe(true)
    await new Promise((closed) => hangingUp.close(closed))
    expect(isDatabaseUnavailable(await errorOf(`postgres://u@127.0.0.1:${port}/d`))).toBe(true)
    expect(isDatabaseUnavailable(await errorOf(`postgres://u@localhost:${port}/d`))).toBe(true)
    expect(isDatabaseUnavailable(await errorOf('postgres://u@%2Fno%2Fsuch%2Ffolder/d'))).toBe(true)
    expect(isDatabaseUnavailable(await errorOf('postgres://u@daybook.invalid/d'))).toBe(true)
  })

  needing(POSTGRES).test('refuses the user or the database is not: trying again does not help', async () => {
    const server = process.env.DAYBOOK_TEST_DATABASE_URL ?? ''
    const noUser = new URL(server)
    noUser.username = 'nobody_by_that_name'
    const noDatabase = new URL(server)
    noDatabase.pathname = 'no_database_by_that_name'
    expect(isDatabaseUnavailable(await errorOf(noUser.href))).toBe(false)
    expect(isDatabaseUnavailable(await errorOf(noDatabase.href))).toBe(false)
  })
})

describe('what is no error of the database', () => {
  it('a client that breaks off its upload, or a missing file, does not make the database unavailable', () => {
    const aborted = Object.assign(new Error('aborted'), { code: 'ECONNRESET' })
    const missing = Object.assign(new Error('no such file'), { code: 'ENOENT', syscall: 'open' })
    expect([aborted, missing].map(isDatabaseUnavailable)).toEqual([false, false])
    const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' })
    const tls = new Error('Client network socket disconnected before secure TLS connection was established')
    expect([reset, Object.assign(tls, { code: 'ECONNRESET' })].map(isDatabaseUnavailable)).toEqual([
      true,
      true,
    ])
  })

  it('a full disk is named', () => {
    for (const code of ['53100', 'ENOSPC']) {
      const error = Object.assign(new Error('could not extend file'), { code })
      expect([isDatabaseUnavailable(error), isDiskFull(error)]).toEqual([true, true])
      expect(whyUnavailable(error)).toContain('disk is full')
    }
    expect(whyUnavailable(new Error('connection terminated'))).not.toContain('disk')
  })

  it.each([
    undefined,
    null,
    'ECONNREFUSED',
    {},
    new Error('something else'),
    new TypeError('x is not a function'),
  ])('%j is not a matter of its availability', (error) => {
    expect(isDatabaseUnavailable(error)).toBe(false)
  })
})
