import { type RawBuilder, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from './connect.ts'
import type { CopiedRow } from './copy-out.ts'
import { copyRows } from './copy-rows.ts'
import { TEST_DATABASES, type TestDatabase } from './testing/test-database.ts'

async function copied(db: Database, query: RawBuilder<unknown>): Promise<CopiedRow[]> {
  const rows: CopiedRow[] = []
  await copyRows(db, query, (row) => rows.push(row.map((field) => field && Buffer.from(field))))
  return rows
}

describe.each(TEST_DATABASES)('rows copied from $name', ({ start }) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await start()
  })
  afterAll(() => database?.stop())

  it('have bytes, numbers, texts and nulls', async () => {
    const [row, ...others] = await copied(
      database.db,
      sql`select '\\x00ff10'::bytea, 7, 'Zoë 🎉', null::text, .5::float8, ''`,
    )
    expect(others).toEqual([])
    expect(row?.[0]).toEqual(Buffer.from([0, 255, 16]))
    expect(row?.[1]?.readInt32BE()).toBe(7)
    expect(row?.[2]?.toString()).toBe('Zoë 🎉')
    expect(row?.[3]).toBeNull()
    expect(row?.[4]?.readDoubleBE()).toBe(0.5)
    expect(row?.[5]).toEqual(Buffer.alloc(0))
  })

  it('may be none, and many', async () => {
    expect(await copied(database.db, sql`select 1 where false`)).toEqual([])
    const rows = await copied(
      database.db,
      sql`select i, decode(repeat('ab', i), 'hex') from generate_series(1, ${2_000}) as i`,
    )
    expect(rows).toHaveLength(2_000)
    for (const [number, bytes] of rows)
      expect(bytes?.equals(Buffer.alloc(number!.readInt32BE(), 0xab))).toBe(true)
  })

  it.each([
    `it's`,
    String.raw`a \ b \' c`,
    '"quoted", {braces}',
    '$1 and $2',
    `'); drop table x; --`,
    'Zoë\n🎉',
    '',
    'null',
  ])('are asked for with the text %j', async (text) => {
    const [row] = await copied(
      database.db,
      sql`
        select ${text}::text, array_length(${[text, null, 'b']}::text[], 1), (${[text, null, 'b']}::text[])[1],
          (${[text, null, 'b']}::text[])[2], ${'second'}::text`,
    )
    expect(row?.map((field) => field?.toString())).toEqual([
      text,
      Buffer.from([0, 0, 0, 3]).toString(),
      text,
      undefined,
      'second',
    ])
  })

  it('are asked for with numbers, booleans, null and arrays of them', async () => {
    const [row] = await copied(
      database.db,
      sql`select ${-2.5}::float8, ${true} and not ${false}, ${null}::int, (${[3, 4]}::int[])[2]`,
    )
    expect(row?.[0]?.readDoubleBE()).toBe(-2.5)
    expect(row?.[1]).toEqual(Buffer.from([1]))
    expect(row?.[2]).toBeNull()
    expect(row?.[3]?.readInt32BE()).toBe(4)
    await expect(copied(database.db, sql`select ${Buffer.from('a')}`)).rejects.toThrow(TypeError)
  })

  it('leave the connection usable after an error, before and after the first row', async () => {
    await expect(copied(database.db, sql`select no_such_column`)).rejects.toMatchObject({ code: '42703' })
    const late = sql`select repeat('x', 1000), 1 / (${5_000} - i) from generate_series(1, 6000) as i`
    await expect(copied(database.db, late)).rejects.toMatchObject({ code: '22012' })
    const { rows } = await sql<{ one: number }>`select 1 as one`.execute(database.db)
    expect(rows).toEqual([{ one: 1 }])
  })

  it('are of a transaction, if it is asked', async () => {
    await database.db.transaction().execute(async (trx) => {
      await sql`set local statement_timeout = '77s'`.execute(trx)
      const [row] = await copied(trx, sql`select current_setting('statement_timeout')`)
      expect(row?.[0]?.toString()).toBe('77s')
      const { rows } = await sql<{ one: number }>`select ${1}::int as one`.execute(trx)
      expect(rows).toEqual([{ one: 1 }])
    })
  })

  it('come side by side', async () => {
    const asked = Array.from({ length: 20 }, (_, at) => at)
    const all = await Promise.all(
      asked.map((at) => copied(database.db, sql`select ${at}::int from generate_series(1, 50)`)),
    )
    expect(all.map((rows) => rows.map(([number]) => number?.readInt32BE()))).toEqual(
      asked.map((at) => Array.from({ length: 50 }, () => at)),
    )
  })
})
