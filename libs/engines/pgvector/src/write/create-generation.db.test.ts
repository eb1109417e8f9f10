import { note } from '@daybook/memory/testing/commands'
import { TEST_DATABASES } from '@daybook/postgres/testing/test-database'
import { NO_FENCE } from '@daybook/projection/rebuild/fence'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ReadModelHarness, startReadModelHarness } from '../testing/read-model-harness.ts'
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
})
