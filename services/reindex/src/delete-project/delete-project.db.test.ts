import { newId } from '@daybook/memory/id'
import { note, rememberCommand } from '@daybook/memory/testing/commands'
import { saveMap } from '@daybook/memory-map/store/read-map'
import { generationTables } from '@daybook/pgvector/generation-tables'
import { accessOfKey, createApiKey } from '@daybook/postgres/access/api-keys'
import { beginDeletion, readDeleted, removeEvents } from '@daybook/postgres/access/delete-project'
import { ensureProject, findProject } from '@daybook/postgres/access/projects'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import { asOwner } from '@daybook/postgres/testing/as-owner'
import { rowsWith } from '@daybook/postgres/testing/rows-with'
import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { exportDocuments, ofProject } from '@daybook/typesense/verify/compare-memories'
import { collectionName } from '@daybook/typesense/write/collection'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { readCheckedProjects } from '../projects.ts'
import { type ReindexHarness, startReindexHarness } from '../testing/reindex-harness.ts'

describe.each(SERVICE_DATABASES)('the removal of a deleted project on $name', ({ start }) => {
  let harness: ReindexHarness
  let adminKey: string
  beforeAll(async () => {
    harness = await startReindexHarness({ start })
    const { projectId } = await harness.newProject()
    adminKey = await asOwner(harness, (owner) => createApiKey(owner, projectId, 'operator', { admin: true }))
  })
  afterAll(() => harness?.stop())
  const services = new Set<ReturnType<ReindexHarness['startService']>>()
  afterEach(async () => {
    for (const service of services) await service.stop()
    services.clear()
  })
  const startService = (settleMs = 1_000) => {
    const service = harness.startService({ settleMs })
    services.add(service)
    return service
  }
  /** Begins the deletion, which then waits until it looks once more, for longer than a test takes. */
  const startWaiting = () => startService(1_800_000)
  const isWaiting = ({ projectId }: ProjectScope) =>
    vi.waitUntil(async () => {
      const { rows } = await sql<{ phase: string; owner: string | null }>`
        select phase, lease_owner as owner from operations
        where project_id = ${projectId} and type = 'delete-project'`.execute(harness.db)
      return rows[0]?.phase === 'looking once more' && rows[0].owner === null
    })
  /** Has another one look at once. */
  const lookAgain = async ({ projectId }: ProjectScope, waiting: ReturnType<typeof startService>) => {
    await waiting.stop()
    services.delete(waiting)
    await sql`
      update operations set leased_until = clock_timestamp()
      where project_id = ${projectId} and type = 'delete-project'`.execute(harness.db)
    startService(1)
  }
  const begin = async ({ projectId }: ProjectScope) => {
    const access = await accessOfKey(harness.db, adminKey)
    if (access === null) throw new Error('the key opens nothing')
    return beginDeletion(harness.db, access, projectId)
  }
  const finished = ({ projectId }: ProjectScope) =>
    vi.waitUntil(async () => (await readDeleted(harness.db, projectId))?.finishedAt !== null)
  const documents = async ({ projectId }: ProjectScope) =>
    exportDocuments(harness.client, collectionName(await harness.live('typesense')), ofProject(projectId))
  /** A project with all sorts of things in it. */
  async function filled(marker: string): Promise<ProjectScope> {
    const scope = await harness.newProject()
    const memories = await harness.remember(
      scope,
      ...Array.from({ length: 30 }, (_, number) => `${marker} the ${number}th`),
    )
    const { id } = memories[0]!.state
    await harness.append(scope, {
      type: 'revise',
      id,
      input: note(`${marker} has changed`),
    })
    await harness.append(scope, { type: 'forget', id: memories[1]!.state.id })
    await sql`
      insert into parked_events (projection, generation, project_id, sequence, memory_id, error, attempts)
      values ('pgvector', ${await harness.live('pgvector')}, ${scope.projectId}, 3, ${newId()}, ${`about ${marker}`}, 1)`.execute(
      scope.db,
    )
    await sql`
      insert into operations (id, type, lane, options, status, project_id)
      values (${newId()}, 'undo', 'x', ${JSON.stringify({ filter: { context: marker } })}, 'failed', ${scope.projectId})`.execute(
      scope.db,
    )
    const map = { sequence: 30, ids: memories.map(({ state }) => state.id), places: new Float32Array(60) }
    await saveMap(scope, { projection: 'pgvector', generation: await harness.live('pgvector') }, map)
    return scope
  }

  it('leaves nothing of it anywhere but its trace, and all of the others', async () => {
    const marker = `zq${newId().slice(-8)}x`
    const scope = await filled(marker)
    const other = await harness.newProject()
    await harness.remember(other, `the other ${marker}`)
    await harness.settled()
    expect((await documents(scope)).length).toBeGreaterThan(20)

    expect(await begin(scope)).toBe(true)
    await expect(harness.remember(scope, 'late')).rejects.toMatchObject({ code: 'PROJECT_DELETED' })
    expect(await findProject(harness.db, scope.projectId)).toBeNull()
    // Its positions are still there, and its journal is not missed.
    const { rows } = await sql`select from positions where project_id = ${scope.projectId}`.execute(
      harness.db,
    )
    expect(rows.length).toBeGreaterThan(0)
    const checked = await readCheckedProjects(harness.db, null)
    expect(checked.map(({ id }) => id)).not.toContain(scope.projectId)
    startService()
    await finished(scope)
    const left = await rowsWith(harness, scope.projectId)
    expect(left.map((row) => row.slice(0, row.indexOf(':')))).toEqual(['deleted_projects', 'operations'])
    expect(await documents(scope)).toEqual([])
    // Of the other one every row stays.
    expect((await rowsWith(harness, marker)).filter((row) => !row.includes(other.projectId))).toEqual([])
    expect(await documents(other)).toHaveLength(1)
    await harness.remember(other, 'goes on')
    await harness.settled()
    expect(await documents(other)).toHaveLength(2)
  })

  it('goes on wherever it was broken off, and needs nobody to ask again', async () => {
    const marker = `zq${newId().slice(-8)}x`
    const scope = await filled(marker)
    await harness.settled()
    await begin(scope)
    // As a process leaves it that was killed in between.
    await removeEvents(harness.db, scope.projectId, 1, 10)
    const { memories } = generationTables(await harness.live('pgvector'))
    await sql`delete from ${memories} where project_id = ${scope.projectId} and number < 5`.execute(scope.db)
    const first = startWaiting()
    await isWaiting(scope)
    expect((await readDeleted(harness.db, scope.projectId))?.finishedAt).toBeNull()
    await lookAgain(scope, first)
    await finished(scope)
    expect(await rowsWith(harness, marker)).toEqual([])
  })

  it('catches up with Typesense after it was down, and removes all else meanwhile', async ({ skip }) => {
    if (harness.typesense.faults === null) skip('a real server takes no faults')
    const marker = `zq${newId().slice(-8)}x`
    const scope = await filled(marker)
    await harness.settled()
    await harness.typesense.faults?.refuse()
    startService()
    await begin(scope)
    await vi.waitUntil(async () => (await rowsWith(harness, marker)).length === 0)
    expect((await readDeleted(harness.db, scope.projectId))?.finishedAt).toBeNull()
    await harness.typesense.faults?.accept()
    await finished(scope)
    expect(await documents(scope)).toEqual([])
  })

  it('takes what a projector writes late, and what a rebuild had in hand', async () => {
    const marker = `zq${newId().slice(-8)}x`
    const scope = await filled(marker)
    await harness.settled()
    const waiting = startWaiting()
    await begin(scope)
    await isWaiting(scope)
    expect(await rowsWith(harness, marker)).toEqual([])
    await sql`
      insert into embeddings (project_id, model_id, content_hash, text)
      values (${scope.projectId}, 'test-hash/24', ${Buffer.alloc(32)}, ${marker})`.execute(scope.db)
    await lookAgain(scope, waiting)
    await finished(scope)
    expect(await rowsWith(harness, marker)).toEqual([])
  })

  it('frees the name, also of the default project, whose administrators go on in the new one', async () => {
    const name = 'default'
    const old = projectScope(harness.db, await ensureProject(harness.db, name))
    await harness.remember(old, 'in the old one')
    const [key, plain] = await asOwner(harness, async (owner) => [
      await createApiKey(owner, old.projectId, 'first', { admin: true }),
      await createApiKey(owner, old.projectId, 'plain'),
    ])
    await begin(old)
    const now = await accessOfKey(harness.db, key!)
    expect(now?.projectId).not.toBe(old.projectId)
    expect(now).toMatchObject({ admin: true, projectId: (await findProject(harness.db, name))?.id })
    expect(await accessOfKey(harness.db, plain!)).toBeNull()
    await harness.append(
      projectScope(harness.db, now?.projectId ?? ''),
      rememberCommand(note('in the new one')),
    )
    startService()
    await finished(old)
  })

  it('is begun by nobody but whoever runs Daybook, and takes no events of a living project', async () => {
    const scope = await harness.newProject()
    await harness.remember(scope, 'alive')
    const key = await asOwner(harness, (owner) => createApiKey(owner, scope.projectId, 'plain'))
    const access = await accessOfKey(harness.db, key)
    await expect(beginDeletion(harness.db, access!, scope.projectId)).rejects.toMatchObject({ code: '42501' })
    await expect(removeEvents(harness.db, scope.projectId, 1, 1)).rejects.toMatchObject({ code: '42501' })
    const other = await harness.newProject()
    await begin(other)
    expect(await begin(other)).toBe(false)
    await expect(removeEvents(scope.db, other.projectId, 1, 1)).rejects.toMatchObject({ code: '42501' })
  })
})
