import type { Database } from '@daybook/postgres/connect'
import { asOwner } from '@daybook/postgres/testing/as-owner'
import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readReadings } from './readings.ts'

const valuesOf = async (db: Database) =>
  Object.fromEntries((await readReadings(db, true)).map(({ name, value }) => [name, value]))

describe.each(TEST_DATABASES)('the readings for metrics on $name', ({ start }) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await start()
  })
  afterAll(() => database?.stop())

  it('of an empty database are empty', async () => {
    expect(await valuesOf(database.db)).toEqual({
      daybook_projection_lag: new Map(),
      daybook_diverged_projects: new Map(),
      daybook_parked_events: new Map(),
      daybook_self_check_differed: new Map(),
      daybook_self_check_unhealed: new Map(),
      daybook_embedding_queue: 0,
      daybook_project_memories: new Map(),
      daybook_project_bytes: new Map(),
    })
  })

  it('count the live generations over all projects', async () => {
    const { db } = database
    const [one, other] = [await database.newProject(), await database.newProject()]
    await asOwner(database, async (owner) => {
      await sql`update journal_heads set sequence = 10 where project_id = ${one.projectId}`.execute(owner)
      await sql`update journal_heads set sequence = 5 where project_id = ${other.projectId}`.execute(owner)
    })
    const generation = (projection: string, number: number, status: 'live' | 'old' | 'building') => ({
      projection,
      generation: number,
      status,
      model_id: 'm',
      dimension: 3,
    })
    await db
      .insertInto('generations')
      .values([
        generation('pgvector', 1, 'old'),
        generation('pgvector', 2, 'live'),
        generation('typesense', 1, 'live'),
        generation('typesense', 2, 'building'),
      ])
      .execute()
    const at = (projection: string, number: number, projectId: string, position: number) => ({
      projection,
      generation: number,
      project_id: projectId,
      position,
    })
    await db
      .insertInto('positions')
      .values([
        at('pgvector', 1, one.projectId, 1),
        at('pgvector', 2, one.projectId, 7),
        at('pgvector', 2, other.projectId, 5),
        at('typesense', 1, one.projectId, 10),
      ])
      .execute()
    const parked = (number: number, sequence: number) => ({
      projection: 'pgvector',
      generation: number,
      project_id: one.projectId,
      sequence,
      memory_id: one.projectId,
      error: 'no',
      attempts: 5,
    })
    await db
      .insertInto('parked_events')
      .values([parked(1, 1), parked(2, 1), parked(2, 2)])
      .execute()
    const checked = (number: number, differed: number, unhealed: number) => ({
      projection: 'pgvector',
      generation: number,
      project_id: one.projectId,
      differed,
      unhealed,
    })
    await db
      .insertInto('self_checks')
      .values([checked(1, 9, 9), checked(2, 4, 1)])
      .execute()
    await sql`
      insert into embeddings (project_id, model_id, content_hash, text, embedded_at)
      select ${one.projectId}::uuid, given.* from (
        values ('m', 'a'::bytea, 'text', null), ('n', 'a', 'text', null), ('m', 'b', null, now())) given`.execute(
      db,
    )
    expect(await valuesOf(db)).toEqual({
      daybook_projection_lag: new Map([
        ['pgvector', 3],
        ['typesense', 5],
      ]),
      daybook_parked_events: new Map([
        ['pgvector', 2],
        ['typesense', 0],
      ]),
      daybook_self_check_differed: new Map([
        ['pgvector', 4],
        ['typesense', 0],
      ]),
      daybook_self_check_unhealed: new Map([
        ['pgvector', 1],
        ['typesense', 0],
      ]),
      // The journal has no event at the position before its end; at the ends the hashes agree.
      daybook_diverged_projects: new Map([
        ['pgvector', 1],
        ['typesense', 0],
      ]),
      daybook_embedding_queue: 2,
      daybook_project_memories: new Map(),
      daybook_project_bytes: new Map(),
    })
  })
})
