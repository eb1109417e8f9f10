import { newId } from '@daybook/memory/id'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accessOfKey, createApiKey } from './access/api-keys.ts'
import { ensureProject } from './access/projects.ts'
import { isReachable } from './migrate.ts'
import { asOwner } from './testing/as-owner.ts'
import { TEST_DATABASES, type TestDatabase } from './testing/test-database.ts'

describe.each(TEST_DATABASES)('a session on $name', ({ start }) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await start()
  })
  afterAll(() => database.stop())

  it('gives int8 as a number and timestamptz as RFC 3339 in UTC', async () => {
    const { rows } = await sql`
      select 9007199254740991::bigint as number, '2026-05-01 14:00:00.123+02'::timestamptz as moment,
        null::bigint as nothing, 5::int as int`.execute(database.db)
    expect(rows).toEqual([
      { number: Number.MAX_SAFE_INTEGER, moment: '2026-05-01T12:00:00.123Z', nothing: null, int: 5 },
    ])
  })

  it('is set up for vector searches and works as the application', async () => {
    const { rows } = await sql`
      select current_setting('hnsw.iterative_scan') as scan, current_setting('hnsw.ef_search') as ef,
        current_setting('timezone') as zone, current_setting('jit') as jit, current_user as role`.execute(
      database.db,
    )
    expect(rows).toEqual([{ scan: 'relaxed_order', ef: '100', zone: 'UTC', jit: 'off', role: 'daybook_app' }])
    expect(await isReachable(database.db as never)).toBe(true)
  })

  it('opens a project with its key and with nothing else', async () => {
    const { db } = database
    const [one, other] = [await ensureProject(db, 'one'), await ensureProject(db, 'other')]
    const [key, second] = await asOwner(database, async (owner) => [
      await createApiKey(owner, one, 'a'),
      await createApiKey(owner, other, 'b'),
    ])
    expect(key).toMatch(/^dbk_[0-9A-Za-z]{36}$/)
    expect(await accessOfKey(db, key)).toMatchObject({ projectId: one, keyName: 'a', admin: false })
    expect(await accessOfKey(db, second)).toMatchObject({ projectId: other, keyName: 'b', admin: false })
    for (const wrong of [
      '',
      'dbk_',
      `${key}x`,
      key.slice(0, -1),
      key.toUpperCase(),
      key.slice(4),
      `dbk_\u0000`,
    ])
      expect(await accessOfKey(db, wrong)).toBeNull()
    const { rows } = await asOwner(database, (owner) =>
      sql<{ row: string }>`select k::text as row from api_keys k`.execute(owner),
    )
    expect(rows.filter(({ row }) => row.includes(key.slice(4)))).toEqual([])
  })

  it('makes a project once, however many ask at the same moment', async () => {
    const name = `project ${newId()}`
    const ids = await Promise.all([1, 2, 3, 4, 5, 6].map(() => ensureProject(database.db, name)))
    expect(new Set(ids).size).toBe(1)
    const { rows } = await sql`select sequence from journal_heads where project_id = ${ids[0]}`.execute(
      database.db,
    )
    expect(rows).toEqual([{ sequence: 0 }])
  })
})
