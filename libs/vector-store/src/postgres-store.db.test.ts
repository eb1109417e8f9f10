import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyEmptyCluster } from '@daybook/postgres/testing/embedded-template'
import { createNativeDatabase, type NativeDatabase, POSTGRES } from '@daybook/postgres/testing/test-database'
import { needing } from '@daybook/runtime/testing/needing'
import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openVectorStore } from './open-vector-store.ts'
import { createPostgresVectorStore } from './postgres-store.ts'
import { describeVectorStore } from './vector-store.contract.ts'

let tables = 0
const nextTable = () => `documents_${(tables += 1)}`

describe('in PGlite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-pglite-'))
  let client: PGlite
  beforeAll(async () => {
    // It would make an empty cluster itself in 8 s of CPU time.
    await copyEmptyCluster(folder)
    client = new PGlite({ dataDir: join(folder, 'postgres'), extensions: { vector } })
  })
  afterAll(async () => {
    await client.close()
    rmSync(folder, { recursive: true, force: true })
  })
  describeVectorStore('PGlite', (options) =>
    createPostgresVectorStore({ client, table: nextTable(), ...options }),
  )

  it('refuses a table of another dimension, and what is no name of a table', async () => {
    const table = nextTable()
    await createPostgresVectorStore({ client, table, dimension: 3 })
    const again = createPostgresVectorStore({ client, table, dimension: 4 })
    await expect(again).rejects.toMatchObject({ code: 'VALIDATION', field: 'dimension' })
    const escaping = createPostgresVectorStore({ client, table: 'x; drop table y', dimension: 3 })
    await expect(escaping).rejects.toMatchObject({ code: 'VALIDATION', field: 'table' })
  })
})

needing(POSTGRES).describe('on a server', () => {
  let database: NativeDatabase
  beforeAll(async () => {
    database = await createNativeDatabase()
  })
  afterAll(() => database?.drop())
  describeVectorStore('Postgres', async (options) =>
    openVectorStore({ databaseUrl: database.url, table: nextTable(), ...options }),
  )

  it('keeps documents after it was closed', async () => {
    const options = { databaseUrl: database.url, dimension: 2, table: 'public.kept' }
    const first = await openVectorStore(options)
    await first.upsert([{ id: 'one', content: 'text', embedding: [1, 0] }])
    await first.close()
    const second = await openVectorStore(options)
    expect(await second.search([1, 0])).toMatchObject([{ id: 'one' }])
    await second.close()
  })

  it('goes on after its connections broke while nobody used them', async () => {
    const store = await openVectorStore({ databaseUrl: database.url, dimension: 2, table: nextTable() })
    await store.upsert([{ id: 'one', content: 'text', embedding: [1, 0] }])
    await database.maintain(
      `select pg_terminate_backend(pid, 60000) from pg_stat_activity where datname = '${database.name}'`,
    )
    // Without somebody who hears of it, its process would end here.
    await new Promise((resolve) => setImmediate(resolve))
    await expect.poll(() => store.search([1, 0]).catch(() => [])).toMatchObject([{ id: 'one' }])
    await store.close()
  })
})
