import { newId } from '@daybook/memory/id'
import { countForMap, readMap } from '@daybook/memory-map/store/read-map'
import { liveReadModel } from '@daybook/pgvector/read/live-read-model'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ReindexService } from '../start.ts'
import { type ReindexHarness, startReindexHarness } from '../testing/reindex-harness.ts'

describe.each(SERVICE_DATABASES)('the map of memories ($name)', ({ start }) => {
  let harness: ReindexHarness
  let service: ReindexService
  let scope: ProjectScope
  beforeAll(async () => {
    harness = await startReindexHarness({ start, projections: ['pgvector'] })
    service = harness.startService()
  })
  afterAll(async () => {
    await service?.stop()
    await harness?.stop()
  })
  beforeEach(async () => {
    scope = await harness.newProject()
  })
  const kept = async (of = scope) => readMap(of, await liveReadModel(of.db))
  const counts = async (since: number) => countForMap(scope, await liveReadModel(scope.db), since)
  const make = () => harness.run('map-memories', null, { projectId: scope.projectId })

  test('it has every memory once, says what is newer, and comes to the same places again', async () => {
    const texts = Array.from({ length: 20 }, (_, at) => `memory ${at} of ${at % 3 === 0 ? 'ships' : 'bread'}`)
    const remembered = await harness.remember(scope, ...texts)
    await harness.settled()
    expect(await kept()).toBeNull()
    expect((await make()).result).toMatchObject({ memories: 20, left: 0 })
    const first = await kept()
    expect(first!.points.map(({ id }) => id)).toEqual(remembered.map(({ state }) => state.id))
    expect(first!.points.every(({ x, y }) => Math.abs(x) <= 1 && Math.abs(y) <= 1)).toBe(true)
    await make()
    expect((await kept())!.points).toEqual(first!.points)

    await harness.remember(scope, 'a newer one', 'and another')
    await harness.settled()
    expect((await kept())!.points).toHaveLength(20)
    expect(await counts(first!.sequence)).toEqual({ memories: 22, newer: 2 })
    await make()
    expect((await kept())!.points).toHaveLength(22)
  })

  test('what is forgotten is not on it, and no other project sees it', async () => {
    const [one] = await harness.remember(scope, 'one', 'two', 'three')
    await harness.settled()
    await make()
    await harness.append(scope, { type: 'forget', id: one!.state.id })
    await harness.settled()
    expect((await kept())!.points.map(({ id }) => id)).not.toContain(one!.state.id)
    expect((await kept())!.points).toHaveLength(2)
    const other = await harness.newProject()
    expect(await kept(other)).toBeNull()
    const { rows } = await sql<{ maps: number }>`select count(*) as maps from memory_maps`.execute(other.db)
    expect(rows[0]?.maps).toBe(0)
  })

  test('without vectors there is none, and it says so', async () => {
    expect(await make()).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('No memory of the project has a vector'),
    })
  })

  test('it can be cancelled, and leaves the map as it was', async () => {
    await harness.remember(scope, ...Array.from({ length: 400 }, (_, at) => `number ${at} ${newId()}`))
    await harness.settled()
    const { id } = await harness.request('map-memories', null, { projectId: scope.projectId })
    await sql`update operations set cancel_requested = true where id = ${id}`.execute(harness.db)
    expect((await harness.ended(id)).status).toBe('cancelled')
    expect(await kept()).toBeNull()
  })

  test('it goes with its generation', async () => {
    await harness.remember(scope, 'one', 'two', 'three')
    await harness.settled()
    await make()
    await harness.run('reindex', 'pgvector')
    expect(await kept()).toBeNull()
    const before = await harness.live('pgvector')
    await sql`update generations set status = 'dropping' where projection = 'pgvector' and generation < ${before}`.execute(
      harness.db,
    )
    await harness.generations('pgvector')
    const { rows } = await sql<{ maps: number }>`
      select count(*) as maps from memory_maps where project_id = ${scope.projectId}`.execute(scope.db)
    expect(rows[0]?.maps).toBe(0)
  })
})
