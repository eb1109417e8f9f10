import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TEST_DATABASES, type TestDatabase } from './testing/test-database.ts'

describe.each(TEST_DATABASES)('x $name', ({ start }) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await start()
  })
  afterAll(() => database.stop())
  it('works', async () => {
    const p = await database.newProject()
    console.log(
      p.projectId,
      (
        await sql`select version(), current_user, current_setting('fsync') fs, current_database()`.execute(
          database.db,
        )
      ).rows,
    )
    expect(1).toBe(1)
  })
})
