import { toMapPoints } from '@daybook/client/map-points'
import { saveMap } from '@daybook/memory-map/store/read-map'
import { projectScope } from '@daybook/postgres/project-scope'
import { SERVICE_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestClient, type TestGateway } from './testing/test-gateway.ts'

const MAP = `{ memoryMap { memories newer problem operation { type status }
  made { sequence count points { ids x y kinds kind contexts context created } } } }`
const MAKE = `mutation { mapMemories { __typename
  ... on Operation { type projection options } ... on DaybookError { code message } } }`
const NODES = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on Memory { title } } }'

describe.each(SERVICE_DATABASES)('the map in the API ($name)', ({ start }) => {
  let database: TestDatabase
  let running: TestGateway
  beforeAll(async () => {
    database = await start()
    running = await startTestGateway(database, undefined, { environment: { DAYBOOK_EMBEDDER: 'none' } })
  })
  afterAll(async () => {
    await running?.stop()
    await database?.stop()
  })
  const remember = async (client: TestClient, text: string, context?: string): Promise<string> => {
    const { remember: written } = await client.data(
      `mutation ($input: RememberInput!) { remember(input: $input) { ... on Remembered { sequence memory { id } } } }`,
      { input: { content: { note: { text } }, context } },
    )
    await client.data('query ($at: Int) { search(query: "x", atLeast: $at) { degraded } }', {
      at: written.sequence,
    })
    return written.memory.id
  }
  const uuid = (id: string) => id.split(':')[1] as string

  test('without a vector there is none, and it says why', async () => {
    const client = await running.newClient()
    const { memoryMap } = await client.data(MAP)
    expect(memoryMap).toMatchObject({ memories: 0, newer: 0, made: null, operation: null })
    expect(memoryMap.problem).toContain('DAYBOOK_EMBEDDER=none')
    const { mapMemories } = await client.data(MAKE)
    expect(mapMemories).toMatchObject({ code: 'REFUSED', message: memoryMap.problem })
  })

  test('it has the points in columns, of this project and of memories that can be found', async () => {
    const client = await running.newClient()
    const other = await running.newClient()
    const startedAt = Date.now()
    const ids = [await remember(client, 'one', 'shop'), await remember(client, 'two')]
    const foreign = await remember(other, 'of others', 'secret')
    const scope = projectScope(database.db, client.projectId)
    await saveMap(
      scope,
      { projection: 'pgvector', generation: 1 },
      {
        sequence: 2,
        // As if a mistake had put it there.
        ids: [...ids, foreign].map(uuid),
        places: Float32Array.from([0.25, -0.5, 1, -1, 0, 0]),
      },
    )
    const { memoryMap } = await client.data(MAP)
    expect(memoryMap).toMatchObject({ memories: 2, newer: 0, problem: null, made: { sequence: 2, count: 2 } })
    const points = toMapPoints(memoryMap.made.points)
    expect(points.ids).toEqual(ids)
    expect([...points.x, ...points.y]).toEqual([0.25, 1, -0.5, -1])
    expect(points.kinds).toEqual(['NOTE'])
    expect([...points.context]).toEqual([0, 65_535])
    expect(points.contexts).toEqual(['shop'])
    expect(points.created[0]).toBeGreaterThanOrEqual(Math.floor(startedAt / 1_000))
    expect(points.created[0]).toBeLessThanOrEqual(Date.now() / 1_000)
    expect((await other.data(MAP)).memoryMap.made).toBeNull()

    await client.data('mutation ($id: ID!) { forget(id: $id) { __typename } }', { id: ids[0] })
    await remember(client, 'a newer one')
    const { memoryMap: later } = await client.data(MAP)
    expect(later).toMatchObject({ memories: 2, newer: 1, made: { count: 1 } })
    expect(toMapPoints(later.made.points).ids).toEqual([ids[1]])
  })

  test('it is made as an operation of the project, one at a time', async () => {
    const client = await running.newClient()
    const id = await remember(client, 'one')
    await expect
      .poll(async () => (await client.data('{ projections { pendingEmbeddings } }')).projections)
      .toEqual([{ pendingEmbeddings: 0 }])
    const { mapMemories } = await client.data(MAKE)
    expect(mapMemories).toMatchObject({
      type: 'MAP_MEMORIES',
      projection: null,
      options: { projectId: client.projectId },
    })
    expect((await client.data(MAKE)).mapMemories).toMatchObject({ code: 'BUSY' })
    expect((await client.data(MAP)).memoryMap.operation).toEqual({ type: 'MAP_MEMORIES', status: 'QUEUED' })
    const other = await running.newClient()
    expect((await other.data(MAP)).memoryMap.operation).toBeNull()
    expect((await other.data(NODES, { ids: [id] })).nodes).toEqual([null])
  })

  test('several memories are read at once, in the order of their ids', async () => {
    const client = await running.newClient()
    const ids = [await remember(client, 'one'), await remember(client, 'two')]
    const asked = [ids[1], 'note:nothing', ids[0], `todo:${uuid(ids[0] as string)}`, uuid(ids[1] as string)]
    const { nodes } = await client.data(NODES, { ids: asked })
    expect(nodes.map((node: { title: string } | null) => node?.title ?? null)).toEqual([
      'two',
      null,
      'one',
      null,
      'two',
    ])
    const { body } = await client.send(NODES, { ids: Array.from({ length: 101 }, () => ids[0]) })
    expect(body.errors?.[0]?.message).toContain('at most 100')
  })
})
