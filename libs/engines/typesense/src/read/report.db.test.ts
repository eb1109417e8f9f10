import { startTypesenseDouble, type TypesenseDouble } from '@daybook/typesense-double/start-typesense-double'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTypesenseClient, type TypesenseClient } from '../client/client.ts'
import { collectionName, deleteCollection, ensureAlias, ensureCollection } from '../write/collection.ts'
import { inspectTypesense } from './report.ts'

describe('looking at a Typesense', () => {
  const generation = { generation: 2, dimension: 16 }
  let double: TypesenseDouble
  let client: TypesenseClient
  beforeEach(async () => {
    double = await startTypesenseDouble({ apiKey: 'key' })
    client = createTypesenseClient({ url: double.url, apiKey: 'key' })
  })
  afterEach(async () => {
    client.close()
    await double.stop()
  })

  it('tells its version, the live collection’s documents and where the alias points', async () => {
    await ensureCollection(client, generation)
    await ensureAlias(client, 2)
    expect(await inspectTypesense(client, generation)).toEqual({
      problem: null,
      version: '29.0',
      documents: 0,
      alias: collectionName(2),
    })
  })

  it('tells of a collection and an alias that are not there', async () => {
    const nothing = { problem: null, version: '29.0', documents: null, alias: null }
    expect(await inspectTypesense(client, generation)).toEqual(nothing)
    await ensureCollection(client, generation)
    await ensureAlias(client, 2)
    await deleteCollection(client, 2)
    expect(await inspectTypesense(client, generation)).toEqual({ ...nothing, alias: collectionName(2) })
  })

  it('says why it cannot be used', async () => {
    const stranger = createTypesenseClient({ url: double.url, apiKey: 'wrong' })
    expect(await inspectTypesense(stranger, generation)).toMatchObject({
      problem: expect.stringContaining('refuses the API key'),
      version: null,
    })
    stranger.close()
    await double.stop()
    expect(await inspectTypesense(client, generation)).toMatchObject({
      problem: expect.stringContaining('does not answer'),
      documents: null,
    })
  })
})
