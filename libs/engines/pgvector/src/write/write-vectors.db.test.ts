import { embedQueue } from '@daybook/embeddings/testing/embed-queue'
import { readJournal } from '@daybook/journal/read/read'
import { readable } from '@daybook/journal/read/stored-event'
import { note } from '@daybook/memory/testing/commands'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { NATIVE_DATABASE, POSTGRES } from '@daybook/postgres/testing/test-database'
import { pause } from '@daybook/runtime/backoff'
import { needing } from '@daybook/runtime/testing/needing'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { checkReadModel } from '../testing/check-read-model.ts'
import { type ReadModelHarness, startReadModelHarness } from '../testing/read-model-harness.ts'
import { writeBatch } from './write-batch.ts'
import { fillAllVectors } from './write-vectors.ts'

needing(POSTGRES).describe('vectors that come while their memory is revised,', () => {
  const { start } = NATIVE_DATABASE
  let harness: ReadModelHarness
  beforeAll(async () => {
    harness = await startReadModelHarness({ start })
  })
  afterAll(() => harness?.stop())

  /** A memory that waits for a vector that the store has; its revision is in the journal only. */
  async function revisedWhileWaiting(): Promise<ProjectScope> {
    const scope = await harness.newProject()
    const [memory] = await harness.append(scope, {
      type: 'remember',
      id: crypto.randomUUID(),
      input: note('before'),
    })
    await harness.apply(scope)
    await embedQueue(harness.db, harness.embedder)
    await harness.append(scope, { type: 'revise', id: memory!.state.id, input: note('after') })
    return scope
  }
  const fillOn = (db: ReadModelHarness['db']) =>
    fillAllVectors(db, harness.readModel.tables, harness.readModel.generation)
  const vectorsOf = async ({ projectId }: ProjectScope) =>
    (
      await sql`select from ${harness.readModel.tables.vectors} where project_id = ${projectId}`.execute(
        harness.db,
      )
    ).rows.length
  /** Waits until a session waits for a lock of another one. */
  const untilBlocked = async () => {
    for (;;) {
      const { rows } = await sql`select from pg_locks where not granted`.execute(harness.db)
      if (rows.length > 0) return
      await pause(5)
    }
  }

  it('those of the former text are not written once the revision is', async () => {
    const scope = await revisedWhileWaiting()
    const { tables, generation } = harness.readModel
    const [revision] = (await readJournal(scope, { after: 1, limit: 1 })).map((record) => readable(record))
    let filling: Promise<number> | undefined
    await harness.db.transaction().execute(async (trx) => {
      await writeBatch(trx, tables, generation, scope.projectId, [revision!])
      filling = fillOn(harness.db)
      await untilBlocked()
    })
    expect(await filling).toBe(0)
    expect(await vectorsOf(scope)).toBe(0)
    // The memory waits for the vector of its present text.
    await harness.apply(scope)
    await harness.embed()
    expect(await vectorsOf(scope)).toBe(1)
    expect(await checkReadModel(scope, harness.readModel)).toEqual([])
  })

  it('those of the former text are removed if the revision comes next', async () => {
    const scope = await revisedWhileWaiting()
    let revising: Promise<void> | undefined
    await harness.db.transaction().execute(async (trx) => {
      expect(await fillOn(trx)).toBe(1)
      revising = harness.apply(scope)
      await untilBlocked()
    })
    await revising
    expect(await vectorsOf(scope)).toBe(0)
    await harness.embed()
    expect(await checkReadModel(scope, harness.readModel)).toEqual([])
  })

  it('two who write them at once write them once', async () => {
    const scope = await harness.newProject()
    await harness.append(scope, { type: 'remember', id: crypto.randomUUID(), input: note('twice') })
    await harness.apply(scope)
    await embedQueue(harness.db, harness.embedder)
    let second: Promise<number> | undefined
    await harness.db.transaction().execute(async (trx) => {
      expect(await fillOn(trx)).toBe(1)
      second = fillOn(harness.db)
      await untilBlocked()
    })
    expect(await second).toBe(0)
    expect(await checkReadModel(scope, harness.readModel)).toEqual([])
  })
})
