import { newId } from '@daybook/memory/id'
import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addProjects, type Look, readSelfChecks, recordLook, takeDue } from './self-checks.ts'

const PLACE = { name: 'pgvector', generation: 1 }
const FINE: Look = {
  walked: 50,
  hurried: 0,
  begins: false,
  differed: 0,
  unhealed: 0,
  example: null,
  journalProblem: null,
}

describe.each(TEST_DATABASES)('the notes of the self-check on $name', ({ start }) => {
  let database: TestDatabase
  const projects: string[] = []
  beforeAll(async () => {
    database = await start()
    const { db } = database
    for (let n = 0; n < 2; n += 1) projects.push((await database.newProject()).projectId)
    await db
      .insertInto('generations')
      .values({ projection: 'pgvector', generation: 1, status: 'following', model_id: 'm', dimension: 3 })
      .execute()
    for (const project_id of projects)
      await db
        .insertInto('positions')
        .values({ projection: 'pgvector', generation: 1, project_id, position: 120 })
        .execute()
    await addProjects(db, PLACE)
    await addProjects(db, PLACE)
  })
  afterAll(() => database?.stop())

  const due = async () => (await takeDue(database.db, PLACE, 60_000))?.projectId ?? null
  const record = (projectId: string, look: Partial<Look>) =>
    recordLook(database.db, PLACE, projectId, { ...FINE, ...look })

  it('have no project due while the generation is not live', async () => {
    expect(await due()).toBeNull()
    await database.db.updateTable('generations').set({ status: 'live' }).execute()
  })

  it('give each project once, the one least recently looked at first, and none before its time', async () => {
    const first = await due()
    const second = await due()
    expect([first, second].toSorted()).toEqual(projects.toSorted())
    expect(await due()).toBeNull()
  })

  it('give one at once in which something was found, until it has been gone through', async () => {
    const [one] = projects
    await record(one!, { differed: 3, hurried: 120, example: 'x (missing)' })
    expect(await due()).toBe(one)
    expect(await due()).toBe(one)
    await record(one!, {})
    expect(await due()).toBeNull()
    expect(await readSelfChecks(database.db, PLACE)).toMatchObject({
      differed: 3,
      differedMs: expect.any(Number),
      example: 'x (missing)',
      unhealed: 0,
      journalProblem: null,
    })
  })

  it('keep what could not be mended, and what is wrong with the journal, until the next walk finds it well', async () => {
    const [one] = projects
    await record(one!, { differed: 1, unhealed: 1, journalProblem: 'event 7 is missing' })
    await record(one!, {})
    const state = await readSelfChecks(database.db, PLACE)
    expect(state).toMatchObject({ unhealed: 1, journalProblem: `${one}: event 7 is missing` })
    await record(one!, { begins: true })
    expect(await readSelfChecks(database.db, PLACE)).toMatchObject({ unhealed: 0, journalProblem: null })
  })

  it('give one first whose events are parked, once a minute', async () => {
    const { db } = database
    const [long, parked] = projects as [string, string]
    await db
      .insertInto('parked_events')
      .values({
        projection: 'pgvector',
        generation: 1,
        project_id: parked,
        sequence: 7,
        memory_id: newId(),
        attempts: 5,
        error: 'unreadable',
      })
      .execute()
    const lookedAt = (project_id: string, ago: string) =>
      sql`update self_checks set checked_at = now() - ${ago}::interval where project_id = ${project_id}`.execute(
        db,
      )
    const next = async () => (await takeDue(db, PLACE, 1_000))?.projectId
    await lookedAt(long, '1 hour')
    await lookedAt(parked, '2 minutes')
    expect(await next()).toBe(parked)
    await lookedAt(parked, '30 seconds')
    expect(await next()).toBe(long)
  })
})
