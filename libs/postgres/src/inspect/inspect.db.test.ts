import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../connect.ts'
import { MIGRATIONS } from '../migrations/index.ts'
import { asOwner } from '../testing/as-owner.ts'
import { TEST_DATABASES, type TestDatabase } from '../testing/test-database.ts'
import { compareMigrations, readApplicationRights, readDurability, readServerFacts } from './server-facts.ts'

describe.each(TEST_DATABASES)('looking at $name as the application', ({ start, severalSessions }) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await start()
  })
  afterAll(() => database?.stop())

  it('tells versions, size and how long an answer takes', async () => {
    const facts = await readServerFacts(database.db)
    expect(facts.version).toMatch(/^\d+\.\d+$/u)
    expect(facts.vectorVersion).toMatch(/^\d+\.\d+\.\d+$/u)
    expect(facts.roundTripMs).toBeGreaterThan(0)
    expect(facts.bytes).toBeGreaterThan(1_000_000)
  })

  it('tells whether what is acknowledged is kept', async () => {
    expect(await readDurability(database.db)).toMatchObject({ standbys: 0, asynchronous: 0 })
    const off = await database.db.transaction().execute(async (trx) => {
      await sql`set local synchronous_commit = off`.execute(trx)
      return readDurability(trx)
    })
    expect(off.synchronousCommit).toBe('off')
  })

  it('finds the application’s role bound, and the owner’s not', async () => {
    expect(await readApplicationRights(database.db)).toEqual({
      role: 'daybook_app',
      isSuperuser: false,
      ownsJournal: false,
      mayChangeJournal: false,
      login: 'postgres',
      loginOwnsJournal: true,
    })
    if (!severalSessions) return
    const owner = openDatabase({ ...database.address, maxConnections: 1 }, { role: null })
    expect(await readApplicationRights(owner).finally(() => owner.destroy())).toMatchObject({
      isSuperuser: true,
      ownsJournal: true,
      mayChangeJournal: true,
    })
  })

  it('names migrations that are missing, and those of a newer version', async () => {
    const [first] = Object.keys(MIGRATIONS)
    expect(await compareMigrations(database.db)).toEqual({ missing: [], unknown: [] })
    await asOwner(database, (trx) =>
      sql`update daybook.kysely_migration set name = '9999-later' where name = ${first}`.execute(trx),
    )
    expect(await compareMigrations(database.db)).toEqual({ missing: [first], unknown: ['9999-later'] })
    await asOwner(database, (trx) =>
      sql`update daybook.kysely_migration set name = ${first} where name = '9999-later'`.execute(trx),
    )
  })
})
