import { newId } from '@daybook/memory/id'
import { rowsWith } from '@daybook/postgres/testing/rows-with'
import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { createClient } from 'graphql-ws'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { REMEMBER, type TestClient, testClient, useTestGateway } from './testing/test-gateway.ts'

const DELETE = `mutation ($id: ID!, $confirm: String!) { result: deleteProject(id: $id, confirm: $confirm) {
  __typename
  ... on DeletedProject { id deletedBy events finishedAt outOfReach operation { id type status } }
  ... on DaybookError { code message } ... on ValidationError { field } } }`
const KEY = `mutation ($input: CreateKeyInput!) { createKey(input: $input) { ... on CreatedKey { id key } } }`
const note = (text = 'n') => ({ input: { content: { note: { text } } } })

describe.each(SERVICE_DATABASES)('deleteProject on $name', ({ start }) => {
  const suite = useTestGateway(start)
  let admin: TestClient
  beforeAll(async () => {
    admin = await suite.running.newClient(true)
  })
  const remove = async (id: string, confirm: string) => (await admin.data(DELETE, { id, confirm })).result
  const keyFor = async (input: object): Promise<string> =>
    (await admin.data(KEY, { input: { name: `k ${newId()}`, scopes: ['READ', 'WRITE'], ...input } }))
      .createKey.key
  const make = async (name = `p ${newId()}`) => {
    const made = await admin.data(
      'mutation ($name: String!) { createProject(name: $name) { ... on CreatedProject { project { id } } } }',
      { name },
    )
    const { id } = made.createProject.project
    return { id: id as string, name, client: testClient(admin.url, await keyFor({ projects: [id] }), id) }
  }
  const failure = async (client: TestClient, query: string, variables?: object) =>
    (await client.send(query, variables)).body.errors?.[0]

  it('takes the name as a confirmation, and a key that runs the whole Daybook', async () => {
    const { id, name, client } = await make()
    expect(await remove(id, 'another')).toMatchObject({ code: 'VALIDATION', field: 'confirm' })
    expect(await remove(newId(), name)).toMatchObject({ code: 'NOT_FOUND' })
    expect((await failure(client, DELETE, { id, confirm: name }))?.extensions).toMatchObject({
      code: 'FORBIDDEN',
    })
    expect((await failure(client, '{ deletedProjects { id } }'))?.extensions).toMatchObject({
      code: 'FORBIDDEN',
    })
    expect((await client.data(REMEMBER, note())).remember.sequence).toBe(1)
  })

  it('refuses everything at once, frees the name, and answers the same again', async () => {
    const { id, name, client } = await make()
    const ofSeveral = await keyFor({ projects: [id, (await make()).id] })
    const ofAll = await keyFor({ allProjects: true })
    await client.data(REMEMBER, note())
    const deleted = await remove(name, name)
    expect(deleted).toMatchObject({
      __typename: 'DeletedProject',
      id,
      events: 1,
      finishedAt: null,
      deletedBy: expect.stringMatching(/^key-/u),
      operation: { type: 'DELETE_PROJECT', status: 'QUEUED' },
    })
    for (const query of ['{ journal { sequence } }', '{ memories { edges { node { id } } } }'])
      expect(await failure(client, query)).toMatchObject({
        message: expect.stringContaining('was deleted'),
        extensions: { code: 'UNAUTHENTICATED' },
      })
    const named = async (key: string, project: string) => {
      const response = await fetch(`${admin.url}/graphql`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'x-daybook-project': encodeURIComponent(project),
        },
        body: JSON.stringify({ query: '{ journal { sequence } }' }),
      })
      return (await response.json()) as { errors?: { extensions: { code: string } }[] }
    }
    expect((await named(ofAll, id)).errors?.[0]?.extensions.code).toBe('PROJECT_DELETED')
    expect((await named(ofSeveral, id)).errors?.[0]?.extensions.code).toBe('NOT_FOUND')
    expect((await named(ofAll, name)).errors?.[0]?.extensions.code).toBe('NOT_FOUND')
    // The same again, for whoever lost the answer; no second operation.
    expect(await remove(id, name)).toEqual(deleted)
    const again = await make(name)
    expect(again.id).not.toBe(id)
    expect((await again.client.data(REMEMBER, note())).remember.sequence).toBe(1)
    const { deletedProjects } = await admin.data('{ deletedProjects { id events } }')
    expect(deletedProjects).toContainEqual({ id, events: 1 })
    expect(JSON.stringify(await admin.data('{ projects { id } }'))).not.toContain(id)
    const cancelled = await admin.data(
      'mutation ($id: ID!) { cancelOperation(id: $id) { __typename ... on DaybookError { code } } }',
      { id: deleted.operation.id },
    )
    expect(cancelled.cancelOperation).toMatchObject({ code: 'REFUSED' })
  })

  it('asked for by several at once, while others write: one deletion, and no event after it', async () => {
    const { id, name, client } = await make()
    await client.data(REMEMBER, note())
    let written = 1
    let stop = false
    const codes = new Set<unknown>()
    const writing = Array.from({ length: 6 }, async () => {
      while (!stop) {
        const { body } = await client.send(REMEMBER, note())
        const remembered = body.data?.['remember'] as { sequence?: number; code?: string } | undefined
        if (remembered?.sequence !== undefined) written = Math.max(written, remembered.sequence)
        else codes.add(remembered?.code ?? body.errors?.[0]?.extensions?.['code'])
      }
    })
    await expect.poll(() => written).toBeGreaterThan(5)
    const answers = await Promise.all([1, 2, 3].map(() => remove(id, name)))
    stop = true
    await Promise.all(writing)
    expect(new Set(answers.map((one) => JSON.stringify([one.id, one.events])))).toHaveProperty('size', 1)
    expect(answers[0].events).toBe(written)
    for (const code of codes) expect(['UNAUTHENTICATED', 'PROJECT_DELETED']).toContain(code)
    const rows = await rowsWith(suite.database, id)
    expect(rows.filter((row) => row.startsWith('events:'))).toHaveLength(written)
    expect(rows.filter((row) => row.startsWith('operations:'))).toHaveLength(1)
  })

  it('ends subscriptions, also those of keys that open all projects', async () => {
    const { id, name, client } = await make()
    const key = await keyFor({ allProjects: true })
    const socket = createClient({
      url: `${admin.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { Authorization: `Bearer ${key}`, 'X-Daybook-Project': id },
      retryAttempts: 0,
    })
    await client.data(REMEMBER, note())
    let seen = 0
    const ended = new Promise((resolve) => {
      socket.subscribe(
        { query: 'subscription { events(after: 0) { sequence } }' },
        {
          next: (answer) => {
            if (answer.errors === undefined) seen += 1
            else resolve(answer.errors)
          },
          error: resolve,
          complete: () => resolve('complete'),
        },
      )
    })
    await vi.waitUntil(() => seen === 1)
    await remove(id, name)
    expect(JSON.stringify(await ended)).toContain('PROJECT_DELETED')
    await socket.dispose()
  })
})
