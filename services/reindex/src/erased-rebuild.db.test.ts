import { eraseEvents } from '@daybook/journal/testing/erase'
import { generationTables } from '@daybook/pgvector/generation-tables'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { exportDocuments, ofProject } from '@daybook/typesense/verify/compare-memories'
import { collectionName } from '@daybook/typesense/write/collection'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { REBUILT, type ReindexHarness, startReindexHarness } from './testing/reindex-harness.ts'

describe.each(REBUILT)('a rebuild of $projection after an erasure, on $name', ({ start, projection }) => {
  let harness: ReindexHarness
  beforeAll(async () => {
    harness = await startReindexHarness({ start })
    harness.startService()
  })
  afterAll(() => harness?.stop())

  /** All that the live generation holds of the project, as text. */
  async function held({ projectId }: ProjectScope): Promise<string> {
    const generation = await harness.live(projection)
    if (projection === 'typesense')
      return JSON.stringify(
        await exportDocuments(harness.client, collectionName(generation), ofProject(projectId)),
      )
    const { memories, versions, vectors } = generationTables(generation)
    const tables = [memories, versions, vectors].map(async (table) => {
      const { rows } =
        await sql`select to_jsonb(held) as held from ${table} held where project_id = ${projectId}`.execute(
          harness.db,
        )
      return rows
    })
    return JSON.stringify(await Promise.all(tables))
  }

  it('leaves erased memories out, forgotten ones and those that were found until then', async () => {
    const scope = await harness.newProject()
    const [forgotten, found, kept] = await harness.remember(
      scope,
      'zebra of the harbour',
      'giraffe of the harbour',
      'heron of the harbour',
    )
    await harness.append(scope, { type: 'forget', id: forgotten!.state.id })
    await harness.settled()
    const ids = [forgotten, found, kept].map((memory) => memory!.state.id)
    const before = await held(scope)
    for (const id of ids) expect(before).toContain(id)

    await eraseEvents(harness, scope.projectId, [1, 2, 4])
    const generation = await harness.live(projection)
    expect(await harness.run('reindex', projection)).toMatchObject({ status: 'succeeded', error: null })
    expect(await harness.live(projection)).toBe(generation + 1)
    await harness.settled()
    const after = await held(scope)
    expect(ids.map((id) => after.includes(id))).toEqual([false, false, true])
    expect(after).not.toMatch(/zebra|giraffe/u)
    expect(after).toContain('heron')
    expect(await harness.run('verify', projection)).toMatchObject({
      status: 'succeeded',
      result: { clean: true, different: 0 },
    })
  })
})
