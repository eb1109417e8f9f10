import { appendOne, createJournalWriter } from '@daybook/journal/append/journal-writer'
import { newId } from '@daybook/memory/id'
import { TEST_DATABASES } from '@daybook/postgres/testing/test-database'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ReadModelHarness, startReadModelHarness } from './testing/read-model-harness.ts'

describe.each(TEST_DATABASES)('authors in the read model on $name', ({ start }) => {
  let harness: ReadModelHarness
  beforeAll(async () => {
    harness = await startReadModelHarness({ start }, { dimension: 8 })
  })
  afterAll(() => harness?.stop())

  it('are columns, and nobody where a journal of elsewhere spells a key as Daybook does not', async () => {
    const scope = await harness.newProject()
    const writer = createJournalWriter(() => {})
    const key = newId()
    for (const named of [key, key.toUpperCase()])
      await appendOne(writer, scope, {
        command: {
          type: 'remember',
          id: newId(),
          input: { content: { kind: 'note', fields: { text: named } } },
        },
        metadata: {
          actor: null,
          correlationId: null,
          causationId: null,
          writer: { key: named, agent: 'planner' },
        },
      })
    await harness.apply(scope)
    const { rows } = await sql<{ writer: string | null; writer_agent: string; editor: string | null }>`
      select writer, writer_agent, editor from ${harness.readModel.tables.memories}
      where project_id = ${scope.projectId} order by number`.execute(scope.db)
    expect(rows).toEqual([key, null].map((one) => ({ writer: one, writer_agent: 'planner', editor: null })))
  })
})
