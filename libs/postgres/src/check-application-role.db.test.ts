import { needing } from '@daybook/runtime/testing/needing'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { checkApplicationRole } from './check-application-role.ts'
import { openDatabase, serverAddress } from './connect.ts'
import { asOwner } from './testing/as-owner.ts'
import { NATIVE_DATABASE, POSTGRES, TEST_DATABASES, type TestDatabase } from './testing/test-database.ts'

describe.each(TEST_DATABASES)('the application’s role on $name', ({ start }) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await start()
  })
  afterAll(() => database?.stop())

  const owner = (statement: string) => asOwner(database, (trx) => sql.raw(statement).execute(trx))
  const undo: string[] = []
  afterEach(async () => {
    for (const statement of undo.splice(0)) await owner(statement)
  })

  it('is bound by row level security', async () => {
    await expect(checkApplicationRole(database.db)).resolves.toBeUndefined()
  })

  it('may not own a table', async () => {
    await owner('create table daybook.mine (project_id uuid)')
    undo.push('drop table daybook.mine')
    await expect(checkApplicationRole(database.db)).rejects.toMatchObject({
      code: 'CONFIGURATION',
      message: expect.stringContaining('alter table mine enable row level security'),
    })
    await owner('alter table daybook.mine enable row level security, force row level security')
    await expect(checkApplicationRole(database.db)).resolves.toBeUndefined()
    await owner(
      'grant create on schema daybook to daybook_app; alter table daybook.mine owner to daybook_app',
    )
    undo.push('revoke create on schema daybook from daybook_app')
    await expect(checkApplicationRole(database.db)).rejects.toThrow(
      'The role "daybook_app" owns the table mine, so row level security would not keep projects apart.',
    )
  })
})

// The embedded database's only connection is its owner's too.

needing(POSTGRES).describe('a role of a server', () => {
  const { start } = NATIVE_DATABASE
  // A role belongs to the whole server, on which other suites run: so this one is made for the test.
  it('may not be a superuser or bypass row level security', async () => {
    const database = await start()
    const owner = (statement: string) => asOwner(database, (trx) => sql.raw(statement).execute(trx))
    const role = `daybook_check_${process.pid}`
    const { connectionString = '' } = database.address.connection
    const db = openDatabase({ ...serverAddress(connectionString), maxConnections: 1 }, { role })
    await owner(`create role ${role} superuser nologin; grant usage on schema daybook to ${role}`)
    try {
      await expect(checkApplicationRole(db)).rejects.toThrow(`alter role ${role} nosuperuser`)
      await owner(`alter role ${role} nosuperuser bypassrls`)
      await expect(checkApplicationRole(db)).rejects.toThrow(`alter role ${role} nobypassrls`)
      await owner(`alter role ${role} nobypassrls`)
      await expect(checkApplicationRole(db)).resolves.toBeUndefined()
    } finally {
      await db.destroy()
      await owner(`drop owned by ${role}; drop role ${role}`)
      await database.stop()
    }
  })
})
