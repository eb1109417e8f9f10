import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listGenerations } from './generations.ts'
import { MoreParkedError, swapGenerations } from './swap-generations.ts'

describe.each(TEST_DATABASES)('a swap on $name', ({ start }) => {
  let database: TestDatabase
  let projects = 0
  beforeAll(async () => {
    database = await start()
  })
  afterAll(() => database?.stop())

  /** A live generation 1 at sequence 3 of a project, and a following generation 2. */
  async function two(position: number) {
    const { db } = database
    const projection = `test-${(projects += 1)}`
    const { projectId } = await database.newProject()
    const model = { model_id: 'test', dimension: 3 }
    await db
      .insertInto('generations')
      .values([
        { projection, generation: 1, status: 'live', ...model },
        { projection, generation: 2, status: 'following', ...model },
      ])
      .execute()
    await db
      .insertInto('positions')
      .values([
        { projection, generation: 1, project_id: projectId, position: 3 },
        { projection, generation: 2, project_id: projectId, position },
      ])
      .execute()
    const park = (generation: number, sequence: number, dropped = false) =>
      db
        .insertInto('parked_events')
        .values({
          projection,
          generation,
          project_id: projectId,
          sequence,
          memory_id: projectId,
          error: 'no such column',
          attempts: 5,
          dropped_at: dropped ? new Date() : null,
        })
        .execute()
    const live = async () =>
      (await listGenerations(db, projection)).find(({ status }) => status === 'live')?.generation
    return { place: { projection, generation: 2 }, park, live }
  }

  it('is refused while the new one has parked what the live one has applied, with what to do', async () => {
    const { place, park, live } = await two(3)
    await park(1, 1)
    await park(2, 2)
    const refused = await swapGenerations(database.db, place).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(MoreParkedError)
    expect((refused as Error).message).toMatch(
      /could not apply 1 events .* sequence 2 of project "test-.*" \(no such column\).*daybook parked list --projection .*--accept-parked/u,
    )
    expect(await live()).toBe(1)
    expect(await swapGenerations(database.db, place, { acceptParked: true })).toBe('swapped')
    expect(await live()).toBe(2)
  })

  it('goes through where the live one has parked the same, or an operator has dropped it there', async () => {
    const { place, park, live } = await two(3)
    await park(1, 1)
    await park(2, 1)
    await park(1, 2, true)
    await park(2, 2)
    expect(await swapGenerations(database.db, place)).toBe('swapped')
    expect(await live()).toBe(2)
  })

  it('waits while the live generation is ahead, as the new one may yet park that event', async () => {
    const { place, live } = await two(2)
    expect(await swapGenerations(database.db, place)).toBe('behind')
    expect(await live()).toBe(1)
  })
})
