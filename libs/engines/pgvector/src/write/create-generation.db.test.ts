import { note } from '@daybook/memory/testing/commands'
import { up } from '@daybook/postgres/migrations/0012-sessions'
import { authorsInReadModel } from '@daybook/postgres/migrations/0033-trust-and-quarantine'
import { asOwner } from '@daybook/postgres/testing/as-owner'
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

  it('that an earlier version made gets its sessions and authors, and is read as one of this version', async () => {
    const scope = await harness.newProject()
    await harness.remember(scope, note('a lantern', { context: 'harbour' }), note('a rope'))
    const { memories } = harness.readModel.tables
    const read = async () => {
      const { rows } = await sql`
        select m.context, m.session, i.indexname from ${memories} m
        left join pg_indexes i on i.schemaname = ${harness.readModel.tables.schema} and i.indexdef like '%(session, first_sequence)%'
        where m.project_id = ${scope.projectId} order by m.number`.execute(scope.db)
      return rows
    }
    const made = await read()
    expect(made).toMatchObject([{ context: 'harbour', session: expect.any(Number) }, { session: null }])
    await asOwner(harness, async (trx) => {
      await sql`
        alter table ${memories} drop column session, drop column writer, drop column editor, drop column writer_agent,
          drop column editor_agent`.execute(trx)
      await up(trx as never)
      await authorsInReadModel(trx as never)
    })
    expect(await read()).toEqual(made)
  })
})
