import { readEnd } from '@daybook/journal/read/read'
import { loseTail } from '@daybook/journal/testing/lose-tail'
import { placeAt } from '@daybook/journal/testing/place-at'
import { newId } from '@daybook/memory/id'
import { note, rememberCommand } from '@daybook/memory/testing/commands'
import { TEST_DATABASES } from '@daybook/postgres/testing/test-database'
import { parkEvents } from '@daybook/projection/apply/parked-events'
import { heal, readDivergence } from '@daybook/projection/positions/divergence'
import { verifyProject } from '@daybook/projection/verify/verify-project'
import { silentLogger } from '@daybook/runtime/logger'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkReadModel } from '../testing/check-read-model.ts'
import { type ReadModelHarness, startReadModelHarness } from '../testing/read-model-harness.ts'
import { pgvectorVerifiable } from '../verify/verifiable.ts'
import { rewriteMemories } from './rewrite-memories.ts'

describe.each(TEST_DATABASES)('the rows of a journal that lost its end, on $name', (database) => {
  let harness: ReadModelHarness
  beforeAll(async () => {
    harness = await startReadModelHarness(database)
  })
  afterAll(() => harness?.stop())

  /** Three memories at the first checkpoint, then four events that change, add and forget. */
  async function written() {
    const scope = await harness.newProject()
    const [kept, revised, forgotten, lost] = [newId(), newId(), newId(), newId()]
    await harness.append(
      scope,
      rememberCommand(note('the lighthouse keeps'), kept),
      rememberCommand(note('the lighthouse is revised'), revised),
      rememberCommand(note('the lighthouse is forgotten'), forgotten),
    )
    await harness.apply(scope)
    await harness.append(
      scope,
      { type: 'revise', id: revised, input: note('the harbour was lost') },
      rememberCommand(note('a memory that nobody has'), lost),
      { type: 'forget', id: forgotten },
      rememberCommand(note('another that nobody has')),
    )
    await harness.apply(scope)
    await harness.embed()
    expect(await checkReadModel(scope, harness.readModel)).toEqual([])
    return { scope, kept, revised, lost }
  }

  it.each([
    ['at the checkpoint', 3, 3],
    ['between two checkpoints', 5, 3],
  ])('become what the journal now says, where it was cut %s', async (_, keep, common) => {
    const { scope, revised, lost } = await written()
    const { db, projection, readModel } = harness
    await harness.append(scope, { type: 'forget', id: revised })
    const place = { name: projection.name, generation: projection.generation }
    const held = await placeAt(scope, 8)
    await db.transaction().execute(async (trx) => {
      await parkEvents(trx, place, scope.projectId, [
        { sequence: 8, memoryId: revised, error: 'cannot be read', attempts: 1 },
      ])
      await sql`
        update positions set position = 8, hash = decode(${held.hash}, 'hex')
        where project_id = ${scope.projectId}`.execute(trx)
      await sql`
        insert into memory_access (project_id, memory_id, accessed_at, access_count)
        values (${scope.projectId}, ${revised}, now(), 7)`.execute(trx)
    })
    await loseTail(harness, scope, keep)
    await harness.append(scope, rememberCommand(note('in the place of what was lost')), {
      type: 'revise',
      id: revised,
      input: note('the harbour was found'),
    })
    expect(await readDivergence(scope, place)).toMatchObject({ position: { sequence: 8 } })

    await heal(scope, projection, await projection.position(scope), silentLogger)
    expect(await projection.position(scope)).toEqual(await placeAt(scope, common))
    expect(await checkReadModel(scope, readModel)).toEqual([])

    await harness.apply(scope)
    await harness.embed()
    expect(await projection.position(scope)).toEqual(await readEnd(scope))
    expect(await readDivergence(scope, place)).toBeNull()
    expect(await checkReadModel(scope, readModel)).toEqual([])
    const verified = await verifyProject(scope, pgvectorVerifiable(db, readModel.generation), {
      signal: new AbortController().signal,
    })
    expect(verified).toMatchObject({ differences: [], indexProblems: [] })
    expect(verified.projectionDigest).toBe(verified.journalDigest)
    const { rows } = await sql<{ parked: number; accesses: number; lost: number; numbers: boolean }>`
      select (select count(*) from parked_events where project_id = ${scope.projectId}) as parked,
        (select access_count from memory_access where project_id = ${scope.projectId}) as accesses,
        (select count(*) from ${readModel.tables.memories} where project_id = ${scope.projectId}
          and memory_id = ${lost}) as lost,
        (select max(number) = count(*)
          from ${readModel.tables.memories} where project_id = ${scope.projectId}) as numbers`.execute(db)
    expect(rows[0]).toEqual({ parked: 0, accesses: 7, lost: keep === 3 ? 0 : 1, numbers: true })
  })

  it('are put right by whoever begins a broken-off rewind again', async () => {
    const { scope, lost } = await written()
    const { projection, readModel } = harness
    const from = await projection.position(scope)
    await loseTail(harness, scope, 3)
    const to = await placeAt(scope, 3)
    // The state after the rewind's first page.
    await rewriteMemories(scope, readModel.generation, [lost], { rewound: { from, to } })
    expect(await projection.position(scope)).toEqual(from)
    await projection.rewind(scope, { from, to })
    await expect(projection.rewind(scope, { from, to })).rejects.toThrow('at work')
    expect(await checkReadModel(scope, readModel)).toEqual([])
  })
})
