import { newId } from '@daybook/memory/id'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bindToProject, type Queryable } from './connect.ts'
import type { ProjectScope } from './project-scope.ts'
import { asOwner } from './testing/as-owner.ts'
import { TEST_DATABASES, type TestDatabase } from './testing/test-database.ts'

describe.each(TEST_DATABASES)('row level security on $name', ({ start }) => {
  let database: TestDatabase
  let one: ProjectScope
  let other: ProjectScope
  beforeAll(async () => {
    database = await start()
    one = await database.newProject()
    other = await database.newProject()
    for (const { db, projectId } of [one, other])
      await db
        .insertInto('memory_access')
        .values({ project_id: projectId, memory_id: newId(), accessed_at: new Date(), access_count: 1 })
        .execute()
  })
  afterAll(() => database?.stop())

  /** The projects whose rows a query without a condition sees. */
  const seen = async (db: Queryable) => {
    const rows = await db.selectFrom('memory_access').select('project_id').execute()
    return rows.map((row) => row.project_id).toSorted()
  }
  const all = () => [one.projectId, other.projectId].toSorted()

  it('is on every table that has rows of projects', async () => {
    const { rows } = await asOwner(database, (db) =>
      sql<{ name: string; secured: boolean }>`
        select distinct class.oid::regclass::text as name, class.relrowsecurity as secured
        from pg_class class join pg_attribute on attrelid = class.oid
        where class.relkind = 'r' and class.relnamespace = 'daybook'::regnamespace
          and (attname = 'project_id' or class.relname = 'projects')`.execute(db),
    )
    expect(rows.length).toBeGreaterThan(9)
    expect(rows.filter(({ secured }) => !secured)).toEqual([])
  })

  it('leaves the rows of others out, whatever a query says', async () => {
    expect(await seen(one.db)).toEqual([one.projectId])
    expect(await seen(other.db)).toEqual([other.projectId])
    expect(await seen(database.db), 'bound to none').toEqual(all())
    const { numUpdatedRows } = await one.db
      .updateTable('memory_access')
      .set({ access_count: 9 })
      .where('project_id', '=', other.projectId)
      .executeTakeFirst()
    expect(numUpdatedRows).toBe(0n)
  })

  it('refuses to write rows of others', async () => {
    const row = { project_id: other.projectId, memory_id: newId(), accessed_at: new Date(), access_count: 1 }
    await expect(one.db.insertInto('memory_access').values(row).execute()).rejects.toThrow(
      /row-level security/u,
    )
  })

  it('holds in transactions, and after them, however they end', async () => {
    expect(await one.db.transaction().execute(seen)).toEqual([one.projectId])
    expect(await seen(other.db)).toEqual([other.projectId])
    const undone = other.db.transaction().execute(async (trx) => {
      expect(await seen(trx)).toEqual([other.projectId])
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect(await seen(one.db)).toEqual([one.projectId])
    expect(await one.db.connection().execute(seen)).toEqual([one.projectId])
    const isolated = one.db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
    expect(await isolated.execute(seen)).toEqual([one.projectId])
    expect(await seen(database.db)).toEqual(all())
  })

  it('holds for many at once', async () => {
    const asked = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? one : other))
    const answers = await Promise.all(
      asked.map(({ db }, index) => (index % 3 === 0 ? db.transaction().execute(seen) : seen(db))),
    )
    expect(answers).toEqual(asked.map(({ projectId }) => [projectId]))
  })

  it('shows nothing to a session that is bound to nothing', async () => {
    await database.db.connection().execute(async (db) => {
      await sql`set daybook.project = ''`.execute(db)
      expect(await seen(db)).toEqual([])
      await sql`set daybook.project = '*'`.execute(db)
    })
  })

  it('a query that fails leaves the next one bound as it should be', async () => {
    await expect(sql`select 1 / 0`.execute(one.db)).rejects.toThrow('division by zero')
    expect(await seen(other.db)).toEqual([other.projectId])
    expect(await seen(one.db)).toEqual([one.projectId])
  })

  it('what is no id cannot be bound to', () => {
    expect(() => bindToProject(database.db, `' or true`)).toThrow(RangeError)
  })
})
