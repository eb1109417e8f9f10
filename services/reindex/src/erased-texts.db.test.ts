import { queueTexts } from '@daybook/embeddings/store'
import { createJournalWriter } from '@daybook/journal/append/journal-writer'
import { contentHash } from '@daybook/memory/content'
import { newId } from '@daybook/memory/id'
import { note, rememberCommand } from '@daybook/memory/testing/commands'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { rowsWith } from '@daybook/postgres/testing/rows-with'
import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { exportDocuments, ofProject } from '@daybook/typesense/verify/compare-memories'
import { collectionName } from '@daybook/typesense/write/collection'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type ReindexHarness, SMALL, startReindexHarness } from './testing/reindex-harness.ts'

describe.each(SERVICE_DATABASES)('what is erased while something lags behind, on $name', ({ start }) => {
  let harness: ReindexHarness
  beforeAll(async () => {
    harness = await startReindexHarness({ start, projections: ['pgvector', 'typesense'] })
    harness.startService()
  })
  afterAll(() => harness?.stop())

  const writer = createJournalWriter(() => {})
  const erase = (scope: ProjectScope, ...memoryIds: string[]) =>
    writer.erase(scope, memoryIds, { actor: 'test', correlationId: null, causationId: null })
  const stored = async ({ db, projectId }: ProjectScope, text: string) => {
    const { rows } = await sql`
      select from embeddings where project_id = ${projectId} and content_hash = ${contentHash(text)}`.execute(
      db,
    )
    return rows.length
  }
  /** Until every projection has applied everything and nothing is left to do after erasures. */
  const settled = async ({ db, projectId }: ProjectScope) => {
    await harness.settled()
    await vi.waitUntil(async () => {
      const { rows } = await sql`select from erased_texts where project_id = ${projectId}`.execute(db)
      return rows.length === 0
    })
  }
  const documents = async ({ projectId }: ProjectScope) =>
    JSON.stringify(
      await exportDocuments(
        harness.client,
        collectionName(await harness.live('typesense')),
        ofProject(projectId),
      ),
    )
  const marked = () => `zq${newId().slice(-8)}x`
  const remember = async (scope: ProjectScope, text: string, id = newId()) => {
    await harness.append(scope, rememberCommand(note(text), id))
    return id
  }

  it('is nowhere once all have caught up, however close the erasure follows', async () => {
    const scope = await harness.newProject()
    const marker = marked()
    for (let round = 0; round < 15; round += 1) {
      const text = `${marker} of round ${round}`
      const id = await remember(scope, text)
      const twin = round === 7 ? await remember(scope, text) : null
      await erase(scope, id)
      if (twin !== null) await erase(scope, twin)
    }
    await remember(scope, 'what stays')
    await settled(scope)
    expect(await rowsWith(harness, marker)).toEqual([])
    expect(await documents(scope)).not.toContain(marker)
    const { rows } = await sql`select from embeddings where project_id = ${scope.projectId}`.execute(scope.db)
    expect(rows).toHaveLength(1)
  })

  it('is not queued for embedding by a projection that comes later, or vanishes from there', async ({
    skip,
  }) => {
    const { faults } = harness.typesense
    if (faults === null) skip('a real server takes no faults')
    const scope = await harness.newProject()
    const text = marked()
    await remember(scope, 'before')
    await harness.settled()
    await faults?.refuse()
    const id = await remember(scope, text)
    await vi.waitUntil(async () => (await stored(scope, text)) > 0)
    await erase(scope, id)
    await vi.waitUntil(async () => (await stored(scope, text)) === 0)
    // As a projector does that was just writing the event.
    await scope.db
      .transaction()
      .execute((trx) =>
        queueTexts(trx, { projectId: scope.projectId, modelId: SMALL }, [{ hash: contentHash(text), text }]),
      )
    await faults?.accept()
    await settled(scope)
    expect(await stored(scope, text)).toBe(0)
    expect(await rowsWith(harness, text)).toEqual([])
    expect(await documents(scope)).not.toContain(text)
  })

  it('is not kept by the embedding store for a memory that is parked in Postgres', async () => {
    const scope = await harness.newProject()
    const text = marked()
    const id = newId()
    await sql`
      insert into parked_events (projection, generation, project_id, sequence, memory_id, error, attempts, dropped_at)
      select 'pgvector', ${await harness.live('pgvector')}, ${scope.projectId}, sequence, ${id}, ${`about ${text}`}, 1, dropped_at
      from (values (1000, null), (1001, now())) as given(sequence, dropped_at)`.execute(scope.db)
    await remember(scope, text, id)
    await vi.waitUntil(async () => (await documents(scope)).includes(text))
    await vi.waitUntil(async () => (await stored(scope, text)) > 0)
    await erase(scope, id)
    await settled(scope)
    expect(await stored(scope, text)).toBe(0)
    expect(await rowsWith(harness, text)).toEqual([])
    expect(await documents(scope)).not.toContain(text)
  })

  it('keeps the vector of a text that another memory has too', async () => {
    const scope = await harness.newProject()
    const text = marked()
    const [one] = [await remember(scope, text), await remember(scope, text)]
    await harness.settled()
    await erase(scope, one)
    await settled(scope)
    expect(await stored(scope, text)).toBe(1)
  })

  it('is gone from the results of undos, too', async () => {
    const scope = await harness.newProject()
    const text = marked()
    const [id, other] = [await remember(scope, text), await remember(scope, 'other')]
    const refusals = [id, other].map((memoryId) => ({
      memoryId: `note:${memoryId}`,
      title: memoryId === id ? text : 'other',
      code: 'CHANGED_SINCE',
      reason: 'changed',
    }))
    await sql`
      insert into operations (id, type, lane, options, status, project_id, result)
      values (${newId()}, 'undo', 'x', '{}', 'succeeded', ${scope.projectId}, ${JSON.stringify({ undone: 1, refusals })})`.execute(
      scope.db,
    )
    await erase(scope, id)
    await settled(scope)
    expect(await rowsWith(harness, text)).toEqual([])
    const { result } = await scope.db.selectFrom('operations').select('result').executeTakeFirstOrThrow()
    expect(result).toEqual({ undone: 1, refusals: [{ ...refusals[0], title: null }, refusals[1]] })
  })
})
