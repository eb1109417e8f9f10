import { contentHash } from '@daybook/memory/content'
import type { Queryable } from '@daybook/postgres/connect'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import {
  leaseTexts,
  queueTexts,
  releaseText,
  releaseTexts,
  requeueTexts,
  retryTexts,
  storeVectors,
} from './store.ts'

const SHARED = 'the launch is on Friday'
const queued = (text: string) => ({ hash: contentHash(text), text })
const vector = (number: number) => new Float32Array([number, 0])

describe.each(TEST_DATABASES)('the embedding store of two projects on $name', ({ start }) => {
  let database: TestDatabase
  let one: ProjectScope
  let other: ProjectScope
  /** Each test has its own model, because the queue covers all projects. */
  let modelId: string
  let tests = 0
  beforeEach(async () => {
    database ??= await start()
    one = await database.newProject()
    other = await database.newProject()
    modelId = `model-${(tests += 1)}`
  })
  afterAll(() => database?.stop())

  const keyOf = ({ projectId }: ProjectScope) => ({ projectId, modelId })
  const queue = (scope: ProjectScope, ...texts: string[]) =>
    scope.db.transaction().execute((trx) => queueTexts(trx, keyOf(scope), texts.map(queued)))
  const lease = (limit = 64) => leaseTexts(database.db, modelId, { limit })
  /** Embeds everything that is queued. @returns whose texts they were */
  const work = async (number = 1) => {
    const texts = await lease()
    const chunks = [{ start: 0, end: 1, vector: vector(number), tokenBits: null }]
    await storeVectors(
      database.db,
      modelId,
      texts.map((text) => ({ ...text, chunks })),
    )
    return texts.map(({ projectId }) => projectId).toSorted()
  }
  const stored = async (db: Queryable) => {
    const { rows } = await sql<{ project_id: string; embedding: string | null }>`
      select project_id, embedding::text as embedding from embeddings
      left join embedding_chunks using (project_id, model_id, content_hash)
      where model_id = ${modelId} order by project_id`.execute(db)
    return new Map(rows.map((row) => [row.project_id, row.embedding]))
  }

  it('shows nothing of one project to a handle bound to the other, not even by a hash', async () => {
    await queue(one, SHARED, 'still queued')
    await leaseTexts(one.db, modelId, { limit: 64 })
    await storeVectors(one.db, modelId, [
      {
        projectId: one.projectId,
        hash: contentHash(SHARED),
        chunks: [{ start: 0, end: 1, vector: vector(1), tokenBits: null }],
      },
    ])
    for (const table of ['embeddings', 'embedding_chunks']) {
      const count = async ({ db }: ProjectScope, where = sql`true`) => {
        const { rows } = await sql<{ rows: number }>`
          select count(*) as rows from ${sql.table(table)} where model_id = ${modelId} and ${where}`.execute(
          db,
        )
        return rows[0]?.rows
      }
      const byHash = sql`content_hash = ${contentHash(SHARED)}`
      expect([await count(one), await count(one, byHash)]).toEqual(table === 'embeddings' ? [2, 1] : [1, 1])
      expect([await count(other), await count(other, byHash)]).toEqual([0, 0])
      await expect(
        sql`update ${sql.table(table)} set content_hash = content_hash where model_id = ${modelId}`.execute(
          other.db,
        ),
      ).resolves.toMatchObject({ numAffectedRows: 0n })
      await sql`delete from ${sql.table(table)} where model_id = ${modelId}`.execute(other.db)
      expect(await count(one)).toBe(table === 'embeddings' ? 2 : 1)
    }
    await expect(
      other.db.transaction().execute((trx) => queueTexts(trx, keyOf(one), [queued('planted')])),
    ).rejects.toThrow(/row-level security/u)
    expect(await leaseTexts(other.db, modelId, { limit: 64 })).toEqual([])
  })

  it('queues, leases and embeds a text that one project has again for the other', async () => {
    await queue(one, SHARED)
    expect(await work()).toEqual([one.projectId])
    await queue(other, SHARED)
    await queue(one, SHARED)
    expect(await stored(database.db)).toEqual(
      new Map([
        [one.projectId, '[1,0]'],
        [other.projectId, null],
      ]),
    )
    expect(await work(2)).toEqual([other.projectId])
    expect(await stored(database.db)).toEqual(
      new Map([
        [one.projectId, '[1,0]'],
        [other.projectId, '[2,0]'],
      ]),
    )
  })

  it('changes only a project’s own texts when it deletes or requeues them', async () => {
    for (const scope of [one, other]) await queue(scope, SHARED)
    expect(await work()).toEqual([one.projectId, other.projectId].toSorted())
    await one.db
      .transaction()
      .execute((trx) => requeueTexts(trx, keyOf(one), [queued(SHARED)], '2999-01-01T00:00:00Z'))
    expect(await stored(database.db)).toEqual(
      new Map([
        [one.projectId, null],
        [other.projectId, '[1,0]'],
      ]),
    )
    const [taken] = await lease()
    expect(taken).toMatchObject({ projectId: one.projectId, text: SHARED })
    await sql`delete from embeddings where model_id = ${modelId}`.execute(one.db)
    // The worker had it leased. It stays removed, and no vectors are left behind.
    await storeVectors(database.db, modelId, [
      { ...taken!, chunks: [{ start: 0, end: 1, vector: vector(3), tokenBits: null }] },
    ])
    expect(await stored(database.db)).toEqual(new Map([[other.projectId, '[1,0]']]))
    await sql`delete from embeddings where model_id = ${modelId}`.execute(other.db)
    const left = await sql`select from embedding_chunks where model_id = ${modelId}`.execute(database.db)
    expect(left.rows, 'vectors go with their text').toEqual([])
  })

  it('keeps token bits, of all chunks one after another, until the text is embedded again', async () => {
    await queue(one, SHARED)
    const bits = (...bytes: number[]) => Uint8Array.of(...bytes)
    await storeVectors(
      database.db,
      modelId,
      (await lease()).map((text) => ({
        ...text,
        chunks: [
          { start: 0, end: 9, vector: new Float32Array(8).fill(1), tokenBits: bits(1, 2) },
          { start: 5, end: 20, vector: new Float32Array(8).fill(2), tokenBits: bits(3) },
        ],
      })),
    )
    const read = async () => {
      const { rows } = await sql<{ bits: string | null; tokens: number[] }>`
        select encode(token_bits, 'hex') as bits, array(
          select tokens from embedding_chunks c
          where (c.project_id, c.model_id, c.content_hash) = (e.project_id, e.model_id, e.content_hash) order by chunk
        ) as tokens from embeddings e where model_id = ${modelId}`.execute(one.db)
      return rows[0]
    }
    expect(await read()).toEqual({ bits: '010203', tokens: [2, 1] })
    await one.db
      .transaction()
      .execute((trx) => requeueTexts(trx, keyOf(one), [queued(SHARED)], '2999-01-01T00:00:00Z'))
    expect(await read()).toEqual({ bits: null, tokens: [] })
  })

  it('lets a text that failed for one project wait for that project only', async () => {
    for (const scope of [one, other]) await queue(scope, SHARED)
    const texts = await lease()
    const mine = texts.find(({ projectId }) => projectId === one.projectId)
    await releaseText(database.db, modelId, mine!, new Error('not now'))
    await releaseTexts(
      database.db,
      modelId,
      texts.filter((text) => text !== mine),
    )
    // Its wait is a second, which a busy machine may take for what follows.
    await sql`update embeddings set leased_until = now() + interval '1 hour'
      where model_id = ${modelId} and project_id = ${one.projectId}`.execute(one.db)
    expect((await lease()).map(({ projectId }) => projectId)).toEqual([other.projectId])
    await other.db.transaction().execute((trx) => retryTexts(trx, keyOf(other), [queued(SHARED)]))
    expect(await lease()).toEqual([])
    await one.db.transaction().execute((trx) => retryTexts(trx, keyOf(one), [queued(SHARED)]))
    expect((await lease()).map(({ projectId }) => projectId)).toEqual([one.projectId])
  })
})
