import { newId } from '@daybook/memory/id'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, EMBEDDED_LOGIN, openDatabase } from '../connect.ts'
import { migrate } from '../migrate.ts'
import { TEST_DATABASES, type TestDatabase } from '../testing/test-database.ts'
import { maintainTables } from './maintain-tables.ts'

const ROWS = 3_000

describe('the tables of the embedded database', () => {
  let database: TestDatabase
  let db: Database
  const projectId = newId()
  beforeAll(async () => {
    const started = await TEST_DATABASES[0]?.start()
    if (started === undefined) throw new Error('there is no embedded database')
    database = started
    await database.db.destroy()
    // As a daemon does: afterwards nothing works as the owner.
    await migrate(database.address, EMBEDDED_LOGIN)
    db = openDatabase(database.address, { login: EMBEDDED_LOGIN })
    // Of other tests that had this database before.
    for (let left = true; left; ) {
      const { analyzed, vacuumed, checkpointed } = await maintainTables(db)
      left = analyzed.length > 0 || vacuumed !== null || checkpointed
    }
  })
  afterAll(async () => {
    await db?.destroy()
    await database?.stop()
  })

  const store = (hash: string) => sql`
    insert into embeddings (project_id, model_id, content_hash, text)
    select ${projectId}, 'model', decode(md5(${hash}::text || n), 'hex'), 'text ' || n from generate_series(1, ${ROWS}::int) n`
  /** The rows of the project that the planner expects. */
  const expected = async (): Promise<number> => {
    const { rows } = await sql<{ 'QUERY PLAN': { Plan: { 'Plan Rows': number } }[] }>`
      explain (format json) select from embeddings where project_id = ${sql.lit(projectId)}`.execute(db)
    return rows[0]?.['QUERY PLAN'][0]?.Plan['Plan Rows'] ?? Number.NaN
  }
  const pages = async (): Promise<number> => {
    const { rows } = await sql<{ pages: number }>`
      select pg_relation_size('daybook.embeddings') / 8192 as pages`.execute(db)
    return rows[0]?.pages ?? Number.NaN
  }

  it('get statistics when they have grown, and once', async () => {
    await store('first').execute(db)
    expect(await expected()).toBeLessThan(ROWS / 10)
    expect(await maintainTables(db)).toEqual({
      analyzed: ['daybook.embeddings'],
      vacuumed: null,
      checkpointed: false,
    })
    // Half of them, because the planner cannot look into the condition of row level security.
    expect(await expected()).toBe(ROWS / 2)
    expect(await maintainTables(db)).toEqual({ analyzed: [], vacuumed: null, checkpointed: false })
  })

  it('lose their dead rows, whose room is used again', async () => {
    await sql`update embeddings set text = text || ' again'`.execute(db)
    const before = await pages()
    expect((await maintainTables(db)).vacuumed).toBe('daybook.embeddings')
    expect(await maintainTables(db)).toEqual({ analyzed: [], vacuumed: null, checkpointed: false })
    await sql`update embeddings set text = reverse(text)`.execute(db)
    expect(await pages()).toBeLessThan(1.1 * before)
  })

  it('end their log with a checkpoint once it is long, so that recovery never reads more', async () => {
    await sql`select pg_logical_emit_message(false, 'test', repeat('x', 1000000)) from generate_series(1, 70)`.execute(
      db,
    )
    expect((await maintainTables(db)).checkpointed).toBe(true)
    expect((await maintainTables(db)).checkpointed).toBe(false)
  })
})
