import { needing } from '@daybook/runtime/testing/needing'
import { withTimeout } from '@daybook/runtime/timers'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Database, openDatabase, serverAddress } from './connect.ts'
import { endStatements } from './end-statements.ts'
import { migrate } from './migrate.ts'
import { OWN_POSTGRES } from './testing/native-binaries.ts'
import { startNativeServer } from './testing/native-server.ts'
import type { NativeServer } from './testing/running-server.ts'

needing(OWN_POSTGRES).describe('at the end of a process', () => {
  let server: NativeServer
  let db: Database
  beforeEach(async () => {
    server = await startNativeServer()
    await migrate(serverAddress(server.url))
    db = openDatabase(serverAddress(server.url, 2))
  })
  afterEach(() => server?.stop())

  it('a long statement is cancelled, and the database goes on', async () => {
    const ended = sql`select pg_sleep(600)`.execute(db).then(
      () => 'it ran to its end',
      (error: unknown) => (error as { code?: string }).code,
    )
    await expect
      .poll(async () => {
        await endStatements(db, serverAddress(server.url))
        return Promise.race([ended, 'not yet'])
      })
      .toBe('57014')
    await sql`select 1`.execute(db)
    await db.destroy()
  })

  it('nothing is awaited of a server that hangs: statements, connections and the pool end', async () => {
    await sql`select 1`.execute(db)
    const thaw = await server.freeze()
    try {
      // The first has the connection; the others are still connecting, or wait for their turn.
      const asked = Promise.allSettled([1, 2, 3].map(() => sql`select 1`.execute(db)))
      await endStatements(db, serverAddress(server.url))
      const ends = withTimeout(10_000, asked)
      expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
      await withTimeout(10_000, db.destroy())
    } finally {
      thaw()
    }
  })
})
