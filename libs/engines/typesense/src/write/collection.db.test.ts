import {
  newTestName,
  type TestTypesense,
  TYPESENSE_SERVERS,
} from '@daybook/typesense-double/typesense-servers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTypesenseClient, type TypesenseClient } from '../client/client.ts'
import { collectionName, deleteCollection, ensureCollection } from './collection.ts'

describe.each(TYPESENSE_SERVERS)('a generation’s collection on $name', (kind) => {
  const base = newTestName()
  let server: TestTypesense
  let client: TypesenseClient
  beforeAll(async () => {
    server = await kind.start()
    client = createTypesenseClient(server)
  })
  afterAll(async () => {
    await deleteCollection(client, 1, base)
    client.close()
    await server.stop()
  })

  it('is kept, and made again if its vectors have another dimension', async () => {
    const made = await ensureCollection(client, { generation: 1, dimension: 64 }, base)
    expect(await ensureCollection(client, { generation: 1, dimension: 64 }, base)).toBe(made)
    expect(await ensureCollection(client, { generation: 1, dimension: 4 }, base)).not.toBe(made)
    const vector = JSON.stringify({
      id: 'one',
      project_id: 'p',
      memory_id: 'm',
      chunk: 0,
      kind: 'note',
      labels: [],
      categories: [],
      importance: 5,
      created_at: 0,
      updated_at: 0,
      sequence: 1,
      version: 1,
      forgotten: false,
      embedding: [1, 0, 0, 0],
    })
    const [line = ''] = await client.importLines(collectionName(1, base), 'upsert', [vector])
    expect(JSON.parse(line)).toMatchObject({ success: true })
  })
})
