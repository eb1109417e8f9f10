import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findDamagedTables } from './damage.ts'
import { damageOf } from './errors.ts'
import { TEST_DATABASES, type TestDatabase } from './testing/test-database.ts'

const failure = (code: string, message: string) => Object.assign(new Error(message), { code })

describe.each(TEST_DATABASES)('damage of $name', ({ start }) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await start()
  })
  afterAll(() => database?.stop())

  const fileOf = async (relation: string) => {
    const { rows } = await sql<{ path: string }>`
      select pg_relation_filepath(coalesce(nullif(reltoastrelid, 0), oid)) as path from pg_class
      where oid = ${relation}::regclass`.execute(database.db)
    return rows[0]?.path ?? ''
  }
  const found = (error: unknown) => findDamagedTables(database.db, damageOf(error) ?? new Error('no damage'))

  it.each([
    ['journal_heads', 'relation', 'daybook.journal_heads', null],
    ['events', 'relation', 'daybook.events', null],
    ['events_pkey', 'relation', 'daybook.events', 'events_pkey'],
    ['pg_class', 'file', 'pg_catalog.pg_class', null],
  ])('finds what the file of %s, or of its long values, belongs to', async (relation, as, table, index) => {
    const file = await fileOf(relation)
    const problem = failure('XX001', `invalid page in block 4 of ${as} "${file}${as === 'file' ? '.1' : ''}"`)
    expect(await found(new Error('it could not be read', { cause: problem }))).toEqual([{ table, index }])
  })

  it('finds the table of an index that has only a name, and of a table of long values', async () => {
    const { rows } = await sql<{ toast: string }>`
      select reltoastrelid::regclass::text as toast from pg_class where oid = 'events'::regclass`.execute(
      database.db,
    )
    const toast = rows[0]?.toast.split('.')[1] ?? ''
    expect(await found(failure('XX002', 'index "events_pkey" contains unexpected zero page'))).toEqual([
      { table: 'daybook.events', index: 'events_pkey' },
    ])
    expect(await found(failure('XX001', `missing chunk number 0 for toast value 7 in ${toast}`))).toEqual([
      { table: 'daybook.events', index: null },
    ])
  })

  it('is a file that is gone, but no other file that Postgres does not find, and no other failure', async () => {
    const gone = failure(
      '58P01',
      `could not open file "${await fileOf('projects')}": No such file or directory`,
    )
    expect(await found(gone)).toEqual([{ table: 'daybook.projects', index: null }])
    expect(damageOf(failure('58P01', 'could not access file "$libdir/vector": No such file'))).toBeNull()
    expect(damageOf(failure('57P01', `terminating connection, file "base/5/1"`))).toBeNull()
    expect(damageOf('XX001')).toBeNull()
  })
})
