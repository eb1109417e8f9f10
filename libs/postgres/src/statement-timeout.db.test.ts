import { needing } from '@daybook/runtime/testing/needing'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { withTimeout } from './connect.ts'
import { isDatabaseUnavailable, isStatementTimeout, whyUnavailable } from './errors.ts'
import { projectScope } from './project-scope.ts'
import { NATIVE_DATABASE, POSTGRES, type TestDatabase } from './testing/test-database.ts'

/** Only a server ends statements: the embedded database has no timers. */

needing(POSTGRES).describe('a timeout of statements', () => {
  const { start } = NATIVE_DATABASE
  let database: TestDatabase
  beforeAll(async () => {
    database = await start()
  })
  afterAll(() => database?.stop())

  it('ends a long statement of that handle and of what is bound to a project from it, and of no other', async () => {
    const short = withTimeout(database.db, 50)
    const { projectId } = await database.newProject()
    const scope = projectScope(short, projectId)
    for (const db of [short, scope.db]) {
      const sleep = sql`select pg_sleep(5)`
      const ways = [() => sleep.execute(db), () => db.transaction().execute((trx) => sleep.execute(trx))]
      for (const way of ways) {
        const error = await way().then(
          () => null,
          (reason: unknown) => reason,
        )
        expect(isStatementTimeout(error)).toBe(true)
        expect(isDatabaseUnavailable(error)).toBe(false)
        expect(whyUnavailable(error)).toContain('DAYBOOK_STATEMENT_TIMEOUT')
      }
    }
    await sql`select pg_sleep(0.1)`.execute(database.db)
    await sql`select pg_sleep(0.1)`.execute(projectScope(database.db, projectId).db)
  })
})
