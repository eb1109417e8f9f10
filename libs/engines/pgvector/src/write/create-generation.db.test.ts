import { note } from '@daybook/memory/testing/commands'
import { TEST_DATABASES } from '@daybook/postgres/testing/test-database'
import { NO_FENCE } from '@daybook/projection/rebuild/fence'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ReadModelHarness, startReadModelHarness } from '../testing/read-model-harness.ts'
import { findProblem } from '../verify/compare-memories.ts'
import { gatherStatistics } from './create-generation.ts'

describe.each(TEST_DATABASES)('a generation on $name', ({ start }) => {
  let harness: ReadModelHarness
  beforeAll(async () => {
    harness = await startReadModelHarness({ start }, { dimension: 8 })
  })
  afterAll(() => harness?.stop())

  it('is known to the planner once its statistics are gathered', async () => {
    const scope = await harness.newProject()
    await harness.remember(scope, note('a lantern in the harbour'))
    const { generation, tables } = harness.readModel
    const unknown = async () => {
      const { rows } = await sql<{ relname: string }>`
        select relname from pg_class
        where relnamespace = ${tables.schema}::regnamespace and relkind = 'r' and reltuples < 0 order by relname`.execute(
        harness.db,
      )
      return rows.map(({ relname }) => relname)
    }
    expect(await unknown()).toContain('memories')
    await gatherStatistics(harness.db, generation.generation, NO_FENCE)
    expect(await unknown()).toEqual([])
  })

  it('is unusable without any one of its columns', async () => {
    const { generation, tables } = harness.readModel
    const { rows } = await sql<{ table: string; column: string }>`
      select relname as table, attname as column from pg_class join pg_attribute on attrelid = pg_class.oid
      left join pg_partitioned_table on partrelid = pg_class.oid
      where relnamespace = ${tables.schema}::regnamespace and relkind in ('r', 'p') and attnum > 0
        -- Postgres itself keeps what partitions are made by.
        and not relispartition and attnum <> all(coalesce(partattrs::int2[], '{}'))`.execute(harness.db)
    expect(rows.length).toBeGreaterThan(50)
    const undone = new Error('undone')
    for (const { table, column } of rows) {
      let problem: string | null = null
      const without = harness.db.transaction().execute(async (trx) => {
        await sql`set local role daybook_indexer`.execute(trx)
        await sql`alter table ${sql.id(tables.schema, table)} drop column ${sql.id(column)} cascade`.execute(
          trx,
        )
        problem = await findProblem(trx, generation.generation)
        throw undone
      })
      await expect(without).rejects.toBe(undone)
      expect(problem, `${table}.${column}`).not.toBeNull()
    }
  })
})
