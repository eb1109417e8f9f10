import { note } from '@daybook/memory/testing/commands'
import { type ReadModelHarness, startReadModelHarness } from '@daybook/pgvector/testing/read-model-harness'
import { pgvectorVerifiable } from '@daybook/pgvector/verify/verifiable'
import { asOwner } from '@daybook/postgres/testing/as-owner'
import { TEST_DATABASES } from '@daybook/postgres/testing/test-database'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Verifiable } from '../verify/verifiable.ts'
import { lookAtProject } from './start-self-check.ts'

const LOOK = { journal: false, signal: new AbortController().signal }

describe.each(TEST_DATABASES)('a look of the self-check on $name', ({ start }) => {
  let harness: ReadModelHarness
  beforeAll(async () => {
    harness = await startReadModelHarness({ start })
  })
  afterAll(() => harness?.stop())

  it.each(['before', 'after'])(
    'counts a memory once that is lost %s the indexes are compared, and repairs it',
    async (moment) => {
      const scope = await harness.newProject()
      const [lost] = await harness.remember(scope, note('a lost treaty'), note('another treaty'))
      const { memories, versions, vectors } = harness.readModel.tables
      const lose = async () => {
        for (const table of [memories, versions, vectors])
          await sql`delete from ${table} where memory_id = ${lost!.state.id}`.execute(harness.db)
      }
      const verifiable = pgvectorVerifiable(harness.db, harness.readModel.generation)
      const harmed: Verifiable = {
        ...verifiable,
        async compareIndexes(...asked) {
          if (moment === 'before') await lose()
          const compared = await verifiable.compareIndexes(...asked)
          if (moment === 'after') await lose()
          return compared
        },
      }
      const found = await lookAtProject(scope, harmed, { walked: 0, hurried: 0 }, LOOK)
      expect(found).toMatchObject({ differed: 1, unhealed: 0 })
      expect(found.example).toContain(lost!.state.id)
      const again = await lookAtProject(scope, verifiable, { walked: 0, hurried: 0 }, LOOK)
      expect(again).toMatchObject({ differed: 0, unhealed: 0 })
    },
  )

  it('takes a memory away that an earlier Daybook applied and this one cannot read, and repairs the others', async () => {
    const scope = await harness.newProject()
    const [odd, other] = await harness.remember(scope, note('an odd treaty'), note('a sound treaty'))
    const { memories } = harness.readModel.tables
    await asOwner(harness, async (owner) => {
      await sql`update daybook.events set data = jsonb_set(data, '{state,categories}', 'null')
        where project_id = ${scope.projectId} and memory_id = ${odd!.state.id}`.execute(owner)
    })
    await sql`update ${memories} set importance = 9 where memory_id = ${other!.state.id}`.execute(harness.db)
    const verifiable = pgvectorVerifiable(harness.db, harness.readModel.generation)
    const found = await lookAtProject(scope, verifiable, { walked: 0, hurried: 0 }, LOOK)
    expect(found).toMatchObject({ differed: 2, unhealed: 0 })
    const { rows } = await sql<{ memory_id: string }>`
      select memory_id from ${memories} where project_id = ${scope.projectId}`.execute(harness.db)
    expect(rows).toEqual([{ memory_id: other!.state.id }])
  })
})
