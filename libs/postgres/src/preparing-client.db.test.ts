import { type RawBuilder, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from './connect.ts'
import { MOST_PREPARED, USES_BEFORE_PREPARED } from './preparing-client.ts'
import { asOwner } from './testing/as-owner.ts'
import { TEST_DATABASES, type TestDatabase } from './testing/test-database.ts'

describe.each(TEST_DATABASES)('statements asked again and again on $name', ({ start, severalSessions }) => {
  let database: TestDatabase
  /** With one connection, so that a test runs in a single session. */
  let db: Database
  beforeAll(async () => {
    database = await start()
    db = severalSessions ? openDatabase({ ...database.address, maxConnections: 1 }) : database.db
  })
  afterAll(async () => {
    if (db !== database.db) await db.destroy()
    await database.stop()
  })

  const prepared = async (mark: string): Promise<string[]> => {
    const { rows } = await sql<{ statement: string }>`
      select statement from pg_prepared_statements where from_sql = false
        and statement like ${`%${mark}%`} and statement not like '%pg_prepared_statements%'`.execute(db)
    return rows.map((row) => row.statement)
  }
  const often = async (statement: (use: number) => RawBuilder<unknown>, times = USES_BEFORE_PREPARED + 1) => {
    const all: unknown[] = []
    for (let use = 0; use < times; use += 1) all.push(...(await statement(use).execute(db)).rows)
    return all
  }

  it('are prepared after five uses, and answer for what they are given', async () => {
    const twice = (use: number) => sql`select ${use}::int * 2 as doubled`
    expect(await often(twice, USES_BEFORE_PREPARED)).toHaveLength(5)
    expect(await prepared('as doubled')).toEqual([])
    expect(await often(twice, 20)).toEqual(Array.from({ length: 20 }, (_, use) => ({ doubled: use * 2 })))
    expect(await prepared('as doubled')).toHaveLength(1)
  })

  it('are prepared by the next connection, too, whatever session it finds', async () => {
    const halved = (use: number) => sql`select ${use}::int / 2 as halved`
    await often(halved)
    for (const connection of ['second', 'third']) {
      const next = openDatabase({ ...database.address, maxConnections: 1 })
      try {
        const answers: unknown[] = []
        for (let use = 0; use < 8; use += 1)
          answers.push(...(await sql`select ${use}::int + 1 as ${sql.id(connection)}`.execute(next)).rows)
        expect(answers).toEqual(Array.from({ length: 8 }, (_, use) => ({ [connection]: use + 1 })))
      } finally {
        await next.destroy()
      }
    }
    expect(await often(halved, 8)).toContainEqual({ halved: 3 })
  })

  it('are kept up to a number, and asked on', async () => {
    for (let text = 0; text <= MOST_PREPARED; text += 1)
      await often((use) => sql`select ${use}::int as ${sql.id(`answer${text}`)}`)
    expect((await prepared('as "answer')).length).toBeLessThan(20)
    expect(await often(() => sql`select ${7}::int as answer1`)).toContainEqual({ answer1: 7 })
  })

  it('fail for a bad value and go on for a good one', async () => {
    const divided = (by: number) => sql`select 12 / ${by}::int as quotient`
    await often((use) => divided(use + 1), 8)
    await expect(divided(0).execute(db)).rejects.toThrow('division by zero')
    expect((await divided(3).execute(db)).rows).toEqual([{ quotient: 4 }])
  })

  it('go on after a value that cannot be written', async () => {
    const said = (value: unknown) => sql`select ${value}::text as said`
    await often((use) => said(`${use}`), 8)
    const unwritable = {
      toPostgres() {
        throw new Error('no value')
      },
    }
    await expect(said(unwritable).execute(db)).rejects.toThrow('no value')
    expect(await often(() => said('well'), 8)).toHaveLength(8)
  })

  it('are not prepared where they measure distances', async () => {
    await often((use) => sql`select '[1,2]'::vector <=> ${`[${use},1]`}::vector as distance`, 8)
    expect(await prepared('as distance')).toEqual([])
  })

  it('are prepared in a transaction that fails, and asked on after it', async () => {
    const tripled = (use: number) => sql`select ${use}::int * 3 as tripled`
    const failing = db.transaction().execute(async (trx) => {
      for (let use = 0; use < 8; use += 1) await tripled(use).execute(trx)
      await sql`select 1 / ${0}::int`.execute(trx)
    })
    await expect(failing).rejects.toThrow('division by zero')
    expect(await often(tripled, 8)).toContainEqual({ tripled: 21 })
  })

  it('see the columns that a migration added meanwhile', async () => {
    await asOwner(database, async (trx) => {
      await sql`create table daybook.grown (id int)`.execute(trx)
      await sql`insert into daybook.grown values (1)`.execute(trx)
      await sql`grant select on daybook.grown to daybook_app`.execute(trx)
    })
    const plain = (use: number) => sql`
      select * from grown where id <= ${use + 1}::int`
    const nested = (use: number) =>
      sql`with found as (select * from grown where id <= ${use + 1}::int) select found.* from found`
    await often(plain)
    await often(nested)
    await asOwner(database, (trx) => sql`alter table daybook.grown add column name text`.execute(trx))
    expect((await plain(5).execute(db)).rows).toEqual([{ id: 1, name: null }])
    // A statement whose beginning does not show that it selects `*` fails once.
    await nested(5)
      .execute(db)
      .catch(() => {})
    expect((await nested(5).execute(db)).rows).toEqual([{ id: 1, name: null }])
  })

  it('hold for each project its own rows', async () => {
    const [one, other] = [await database.newProject(), await database.newProject()]
    for (let turn = 0; turn < 10; turn += 1)
      for (const { db: own, projectId } of [one, other]) {
        const { rows } = await sql<{ project_id: string }>`
          select project_id from journal_heads where sequence >= ${0}`.execute(own)
        expect(rows).toEqual([{ project_id: projectId }])
      }
  })
})
