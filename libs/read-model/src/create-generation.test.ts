import { TEST_DATABASES } from '@daybook/postgres/testing/test-database'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { gatherStatistics } from './create-generation.ts'
import { note, type ReadModelHarness, startReadModelHarness } from './testing/read-model-harness.ts'

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
    await gatherStatistics(harness.db, generation.generation)
    expect(await unknown()).toEqual([])
  })
})
