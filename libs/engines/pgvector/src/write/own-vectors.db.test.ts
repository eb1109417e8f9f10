import { leaseTexts, storeVectors } from '@daybook/embeddings/store'
import { note, rememberCommand } from '@daybook/memory/testing/commands'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { TEST_DATABASES } from '@daybook/postgres/testing/test-database'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkReadModel } from '../testing/check-read-model.ts'
import { type ReadModelHarness, startReadModelHarness } from '../testing/read-model-harness.ts'
import { compareMemories } from '../verify/compare-memories.ts'
import { fillAllVectors } from './write-vectors.ts'

describe.each(TEST_DATABASES)('the vectors of two projects on $name', (kind) => {
  let harness: ReadModelHarness
  beforeAll(async () => {
    harness = await startReadModelHarness(kind, { dimension: 8 })
  })
  afterAll(() => harness?.stop())

  const check = (scope: ProjectScope) => checkReadModel(scope, harness.readModel)
  const vectorsOf = async ({ db }: ProjectScope) => {
    const { rows } = await sql<{ embedding: string }>`
      select embedding::text as embedding from ${harness.readModel.tables.vectors}`.execute(db)
    return rows.map(({ embedding }) => embedding)
  }
  const fill = () => fillAllVectors(harness.db, harness.readModel.tables, harness.readModel.generation)

  it('a text that one project has is embedded again for another, and each gets its own vector', async () => {
    const one = await harness.newProject()
    const other = await harness.newProject()
    await harness.remember(one, note('both have this'))
    const before = await vectorsOf(one)
    expect(before).toHaveLength(1)

    const [memory] = await harness.append(other, rememberCommand(note('both have this')))
    await harness.apply(other)
    expect(await fill()).toBe(0)
    expect(await vectorsOf(other), 'it waits, as for a text that nobody has').toEqual([])
    expect(await check(other)).toEqual([])

    const leased = await leaseTexts(harness.db, harness.embedder.modelId, { limit: 64 })
    expect(leased).toMatchObject([{ projectId: other.projectId, text: 'both have this' }])
    const vector = new Float32Array(8).fill(0.5)
    await storeVectors(
      harness.db,
      harness.embedder.modelId,
      leased.map((text) => ({ ...text, chunks: [{ start: 0, end: 14, vector, tokenBits: null }] })),
    )
    expect(await fill()).toBe(1)
    expect(await vectorsOf(other)).toEqual([`[${[...vector].join(',')}]`])
    expect(await vectorsOf(one)).toEqual(before)
    for (const scope of [one, other]) expect(await check(scope)).toEqual([])
    const { memories } = await compareMemories(other, harness.readModel.generation, [memory!.state.id])
    expect(memories[0]?.differs, 'verified against its own').toEqual([])
  })

  it('a vector reaches its project even if more projects wait for the text than fit a page', async () => {
    const ready = await harness.newProject()
    await harness.append(ready, rememberCommand(note('everybody has this')))
    await harness.apply(ready)
    const [leased] = await leaseTexts(harness.db, harness.embedder.modelId, { limit: 64 })
    // 600 other projects wait for the same text: more than a page, whichever come first.
    const { tables } = harness.readModel
    await sql`
      with made as (insert into ${tables.memories} (project_id, memory_id, number, kind, version, sequence, first_sequence, state, labels,
        categories, importance, created_at, forgotten, lexemes, length, content_hash)
      select others.project_id, gen_random_uuid(), 1, kind, version, sequence, first_sequence, state, labels,
        categories, importance, created_at, forgotten, lexemes, length, content_hash
      from ${tables.memories} m cross join lateral (
        select lpad(to_hex(number), 32, '0')::uuid as project_id from generate_series(1, 600) number) others
      where m.project_id = ${ready.projectId} returning *)
      insert into ${tables.waiting} select project_id, memory_id, content_hash from made`.execute(harness.db)
    const vector = new Float32Array(8).fill(0.5)
    await storeVectors(harness.db, harness.embedder.modelId, [
      { ...leased!, chunks: [{ start: 0, end: 18, vector, tokenBits: null }] },
    ])
    expect(await fill()).toBe(1)
    expect(await vectorsOf(ready)).toHaveLength(1)
  })
})
