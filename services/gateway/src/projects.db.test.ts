import { newId } from '@daybook/memory/id'
import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { beforeAll, describe, expect, it } from 'vitest'
import { REMEMBER, type TestClient, testClient, useTestGateway } from './testing/test-gateway.ts'

const FIELDS = `__typename
  ... on CreatedProject { project { id name memories bytes createdAt limits { memories bytes requestsPerSecond queuedTexts } } }
  ... on DaybookError { code message } ... on ValidationError { field }`
const CREATE = `mutation ($name: String!, $limits: ProjectLimitsInput) { result: createProject(name: $name, limits: $limits) { ${FIELDS} } }`
const RENAME = `mutation ($id: ID!, $name: String!) { result: renameProject(id: $id, name: $name) { ${FIELDS} } }`
const LIMIT = `mutation ($id: ID!, $limits: ProjectLimitsInput!) { result: setProjectLimits(id: $id, limits: $limits) { ${FIELDS} } }`
const KEY = `mutation ($project: String!) {
  createKey(input: { name: "k", projects: [$project], scopes: [READ, WRITE] }) { ... on CreatedKey { key } } }`
const WRITE = `mutation ($input: RememberInput!) { remember(input: $input) {
  __typename ... on Remembered { memory { id } } ... on DaybookError { code message } ... on LimitExceededError { limit most } } }`
const note = (text = 'n') => ({ input: { content: { note: { text } } } })

describe.each(SERVICE_DATABASES)('projects on $name', ({ start }) => {
  const suite = useTestGateway(start)
  let admin: TestClient
  beforeAll(async () => {
    admin = await suite.running.newClient(true)
  })
  const result = async (query: string, variables: object) => (await admin.data(query, variables)).result
  const make = async (limits: object = {}) => {
    const name = `p ${newId()}`
    const { project } = await result(CREATE, { name, limits })
    const { createKey } = await admin.data(KEY, { project: project.id })
    return { id: project.id as string, name, client: testClient(admin.url, createKey.key, project.id) }
  }
  const usage = async (client: TestClient) =>
    (await client.data('{ projects { memories bytes } }')).projects[0]

  it('are made and used, renamed while their id and keys stay, and have unique names', async () => {
    const { id, name, client } = await make()
    expect((await client.data(WRITE, note())).remember.__typename).toBe('Remembered')
    expect(await result(CREATE, { name })).toMatchObject({ __typename: 'ConflictError', code: 'NAME_TAKEN' })
    const other = await make()
    expect(await result(RENAME, { id: other.id, name })).toMatchObject({ code: 'NAME_TAKEN' })
    const renamed = `renamed ${newId()}`
    expect((await result(RENAME, { id: name, name: renamed })).project).toMatchObject({ id, name: renamed })
    expect((await client.data('{ projects { id name } }')).projects).toEqual([{ id, name: renamed }])
    // The name is free again.
    expect((await result(CREATE, { name })).project.id).not.toBe(id)
    const racing = `raced ${newId()}`
    const raced = await Promise.all(Array.from({ length: 5 }, () => result(CREATE, { name: racing })))
    expect(raced.filter(({ __typename }) => __typename === 'CreatedProject')).toHaveLength(1)
  })

  it('are not made, renamed or limited by a key that does not run the whole Daybook', async () => {
    const { id, client } = await make()
    for (const [query, variables] of [
      [CREATE, { name: 'x' }],
      [RENAME, { id, name: 'x' }],
      [LIMIT, { id, limits: {} }],
    ] as const) {
      const { body } = await client.send(query, variables)
      expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'FORBIDDEN' })
    }
  })

  it('refuse bad input, naming the field and the limit', async () => {
    const { id } = await make()
    for (const [query, variables, field] of [
      [CREATE, { name: '' }, 'name'],
      [CREATE, { name: ' x' }, 'name'],
      [CREATE, { name: 'x'.repeat(256) }, 'name'],
      [CREATE, { name: 'a\u0000' }, 'name'],
      [CREATE, { name: newId() }, 'name'],
      [CREATE, { name: 'never made', limits: { memories: -1 } }, 'limits.memories'],
      [RENAME, { id, name: '\u200b' }, 'name'],
      [RENAME, { id, name: 'a\nb' }, 'name'],
      [RENAME, { id, name: 'a\u001b[31mb' }, 'name'],
      [LIMIT, { id, limits: { bytes: 1.5 } }, 'limits.bytes'],
      [LIMIT, { id, limits: { bytes: 1e300 } }, 'limits.bytes'],
      [LIMIT, { id, limits: { requestsPerSecond: 0 } }, 'limits.requestsPerSecond'],
    ] as const)
      expect(await result(query, variables), JSON.stringify(variables)).toMatchObject({
        __typename: 'ValidationError',
        field,
      })
    expect(await result(RENAME, { id: newId(), name: 'x' })).toMatchObject({ code: 'NOT_FOUND' })
    expect(await result(LIMIT, { id: 'no such', limits: {} })).toMatchObject({ code: 'NOT_FOUND' })
  })

  it('count what they hold, whatever happens to a memory', async () => {
    const { client } = await make()
    expect(await usage(client)).toEqual({ memories: 0, bytes: 0 })
    const id = (await client.data(WRITE, note())).remember.memory.id
    await client.data(WRITE, note('m'))
    const { bytes } = await usage(client)
    expect(bytes).toBeGreaterThan(100)
    const change = (name: string, more = '') =>
      client.data(`mutation ($id: ID!) { ${name}(id: $id ${more}) { __typename } }`, { id })
    const counts: number[] = []
    for (const [name, more] of [
      ['revise', 'input: { content: { note: { text: "other" } } }'],
      ['restore', 'version: 1'],
      ['forget', ''],
      ['restore', ''],
    ] as const) {
      await change(name, more)
      counts.push((await usage(client)).memories)
    }
    expect(counts).toEqual([2, 2, 1, 2])
    expect((await usage(client)).bytes).toBeGreaterThan(bytes * 2)
  })

  it('hold as many memories as allowed, exactly, however many ask at once, and forgetting makes room', async () => {
    const { id, client } = await make({ memories: 5 })
    const written = await Promise.all(
      Array.from({ length: 12 }, async (_, i) => (await client.data(WRITE, note(`${i}`))).remember),
    )
    const refused = written.filter(({ __typename }) => __typename === 'LimitExceededError')
    expect(refused).toHaveLength(7)
    expect(refused[0]).toMatchObject({ code: 'LIMIT_EXCEEDED', limit: 'memories', most: 5 })
    expect(refused[0].message).toContain('forget memories')
    expect((await usage(client)).memories).toBe(5)
    // All or nothing, with a result for each.
    const many = await client.data(
      `mutation ($inputs: [RememberInput!]!) { rememberMany(inputs: $inputs) { __typename } }`,
      { inputs: [note('x').input, note('y').input] },
    )
    expect(many.rememberMany).toEqual([1, 2].map(() => ({ __typename: 'LimitExceededError' })))
    const kept = written.find(({ memory }) => memory !== undefined).memory.id
    await client.data('mutation ($id: ID!) { forget(id: $id) { __typename } }', { id: kept })
    expect((await client.data(WRITE, note('again'))).remember.__typename).toBe('Remembered')
    const restored = await client.data(
      'mutation ($id: ID!) { restore(id: $id) { __typename ... on LimitExceededError { limit } } }',
      { id: kept },
    )
    expect(restored.restore).toMatchObject({ limit: 'memories' })
    await result(LIMIT, { id, limits: { memories: null } })
    expect((await client.data(WRITE, note('free'))).remember.__typename).toBe('Remembered')
  })

  it('hold as many bytes as allowed, and can still forget', async () => {
    const { client } = await make({ bytes: 2_000 })
    const first = (await client.data(WRITE, note())).remember.memory.id
    const { remember } = await client.data(WRITE, note('x'.repeat(3_000)))
    expect(remember).toMatchObject({ limit: 'bytes', most: 2_000 })
    const forgotten = await client.data('mutation ($id: ID!) { forget(id: $id) { __typename } }', {
      id: first,
    })
    expect(forgotten.forget.__typename).toBe('Forgotten')
  })

  it('are asked as often as allowed', async () => {
    const { client } = await make({ requestsPerSecond: 3 })
    // A slow machine may have a second or two for them, in which more are allowed.
    const asked = await Promise.all(Array.from({ length: 20 }, () => client.send('{ projects { id } }')))
    const refused = asked.filter(({ body }) => body.errors !== undefined)
    expect(refused.length).toBeGreaterThanOrEqual(4)
    expect(refused[0]?.body.errors?.[0]).toMatchObject({
      message: expect.stringContaining('requestsPerSecond of 3'),
      extensions: { code: 'LIMIT_EXCEEDED', limit: 'requestsPerSecond', most: 3, retryable: true },
    })
    await expect.poll(async () => (await client.send('{ projects { id } }')).body.errors).toBeUndefined()
  })

  it('leave as much embedding work as allowed', async () => {
    const { client } = await make({ queuedTexts: 0 })
    const { remember } = await client.data(WRITE, note())
    expect(remember).toMatchObject({ code: 'LIMIT_EXCEEDED', limit: 'queuedTexts', most: 0 })
    expect(remember.message).toContain('embedder')
    expect((await client.data('{ journal { sequence } }')).journal).toEqual([])
  })

  it('do not feel the limits of others', async () => {
    const [{ client: full }, { client }] = [await make({ memories: 0 }), await make()]
    expect((await full.data(WRITE, note())).remember.limit).toBe('memories')
    expect((await client.data(REMEMBER, note())).remember.sequence).toBe(1)
  })
})
