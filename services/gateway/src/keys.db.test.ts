import { newId } from '@daybook/memory/id'
import { ensureProject } from '@daybook/postgres/access/projects'
import { asOwner } from '@daybook/postgres/testing/as-owner'
import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import type { GraphQLInputType } from 'graphql'
import {
  type GraphQLField,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql'
import { createClient } from 'graphql-ws'
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { schema } from './schema/index.ts'
import { KEYS_MS } from './subscriptions/open-subscriptions.ts'
import { REMEMBER, type TestClient, testClient, useTestGateway } from './testing/test-gateway.ts'

const CREATE = `mutation ($input: CreateKeyInput!) { createKey(input: $input) {
  __typename
  ... on CreatedKey { id key apiKey { id name prefix scopes allProjects wholeDaybook isValid projects { id name } } }
  ... on DaybookError { code message } ... on ValidationError { field } } }`
const ROTATE = `mutation ($id: ID!, $grace: Int) { rotateKey(id: $id, graceSeconds: $grace) {
  __typename ... on CreatedKey { id key replaces { expiresAt replacedBy isValid } } ... on DaybookError { code message } } }`
const REVOKE = `mutation ($id: ID!) { revokeKey(id: $id) {
  __typename ... on RevokedKey { id apiKey { isValid } } ... on DaybookError { code message } } }`
const KEYS = `query ($project: String) { keys(project: $project) {
  id name prefix scopes isValid isOwn lastUsedAt replacedBy projects { id name } } }`
const PROJECTS = '{ projects { id name } }'
const COUNT = '{ memories { edges { node { id } } } }'
const NOTE = { input: { content: { note: { text: 'a giraffe' } } } }

describe.each(SERVICE_DATABASES)('keys on $name', ({ start }) => {
  const suite = useTestGateway(start)
  let admin: TestClient
  /** Two projects, by name. */
  let [a, b] = [
    { id: '', name: '' },
    { id: '', name: '' },
  ]
  beforeAll(async () => {
    admin = await suite.running.newClient(true)
  })
  beforeEach(async () => {
    const make = async (name: string) => ({ name, id: await ensureProject(suite.database.db, name) })
    ;[a, b] = [await make(`a ${newId()}`), await make(`b ${newId()}`)]
  })

  const create = async (input: object, by = admin) =>
    (await by.data(CREATE, { input: { name: 'k', scopes: ['READ', 'WRITE'], ...input } })).createKey
  const clientOf = (key: string) => testClient(admin.url, key, a.id)
  const lastUsed = async (id: string): Promise<string | null> =>
    (await admin.data(KEYS, { project: a.id })).keys.find((one: { id: string }) => one.id === id).lastUsedAt
  const ask = async (key: string, query: string, { project = '', variables = {} } = {}) => {
    const response = await fetch(`${admin.url}/graphql`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        ...(project === '' ? {} : { 'x-daybook-project': encodeURIComponent(project) }),
      },
      body: JSON.stringify({ query, variables }),
    })
    const body = (await response.json()) as {
      data?: Record<string, unknown> | null
      errors?: { message: string; extensions: Record<string, unknown> }[]
    }
    return { status: response.status, body, error: body.errors?.[0] }
  }

  it('are made for one project, shown once, and stored as a hash', async () => {
    const made = await create({ name: 'agent', projects: [a.name], scopes: ['READ'] })
    expect(made).toMatchObject({
      __typename: 'CreatedKey',
      apiKey: { name: 'agent', scopes: ['READ'], allProjects: false, wholeDaybook: false, isValid: true },
    })
    expect(made.apiKey.projects).toEqual([a])
    expect(made.key).toMatch(/^dbk_[0-9A-Za-z]{36}$/u)
    expect(made.key.startsWith(made.apiKey.prefix)).toBe(true)
    expect((await ask(made.key, COUNT)).body.data).toEqual({ memories: { edges: [] } })
    const { rows } = await asOwner(suite.database, (owner) =>
      sql<{ row: string }>`select k::text as row from api_keys k`.execute(owner),
    )
    expect(rows.filter(({ row }) => row.includes(made.key.slice(12)))).toEqual([])
  })

  it('that are mistyped, unknown, revoked or expired are refused, each with its reason', async () => {
    const { key, id } = await create({ projects: [a.id] })
    const typo = key.slice(0, -1) + (key.endsWith('x') ? 'y' : 'x')
    const reason = async (of: string) => {
      const { status, error } = await ask(of, COUNT)
      expect([status, error?.extensions['code']]).toEqual([401, 'UNAUTHENTICATED'])
      return error?.message
    }
    expect(await reason(typo)).toContain('mistyped')
    expect(await reason(`dbk_${'A'.repeat(43)}`)).toContain('A valid API key is needed')
    expect((await ask(key, COUNT)).status).toBe(200)
    expect((await admin.data(REVOKE, { id })).revokeKey).toMatchObject({ id, apiKey: { isValid: false } })
    expect(await reason(key)).toContain('revoked')

    const inAnHour = new Date(Date.now() + 3_600_000).toISOString()
    const soon = await create({ projects: [a.id], expiresAt: inAnHour })
    expect((await ask(soon.key, COUNT)).status).toBe(200)
    await asOwner(suite.database, (owner) =>
      sql`update api_keys set expires_at = now() where id = ${soon.id}`.execute(owner),
    )
    await expect.poll(async () => (await ask(soon.key, COUNT)).status).toBe(401)
    expect(await reason(soon.key)).toContain('expired')
  })

  it('of several projects say which one they mean; of one need not', async () => {
    const { key } = await create({ projects: [a.name, b.id] })
    const { error } = await ask(key, COUNT)
    expect(error?.extensions).toMatchObject({ code: 'VALIDATION', field: 'X-Daybook-Project' })
    const { body } = await ask(key, PROJECTS)
    expect(body.data).toEqual({ projects: [a, b] })
    await ask(key, REMEMBER, { project: b.name, variables: NOTE })
    const held = async (project: string) =>
      ((await ask(key, '{ journal { sequence } }', { project })).body.data as { journal: unknown[] }).journal
        .length
    expect([await held(a.name), await held(b.name), await held(b.id)]).toEqual([0, 1, 1])
  })

  it('of all projects open those that are made later, also with names beyond ASCII', async () => {
    const { key, apiKey } = await create({ allProjects: true })
    expect(apiKey).toMatchObject({ allProjects: true, wholeDaybook: false })
    const name = `später 日本 ${newId()}`
    await ensureProject(suite.database.db, name)
    expect((await ask(key, COUNT, { project: name })).body.data).toEqual({ memories: { edges: [] } })
    expect((await ask(key, '{ system { version } }')).error?.extensions['code']).toBe('FORBIDDEN')
  })

  it('of A find nothing of B, by whatever way they ask, and cannot tell that it exists', async () => {
    const [{ key }, other] = [
      await create({ projects: [a.id], scopes: ['READ', 'WRITE', 'ADMIN'] }),
      await create({ projects: [b.id] }),
    ]
    const { remember } = await clientOf(other.key).data(REMEMBER, NOTE)
    const { id } = remember.memory
    const anonymous = (text: string | undefined, name: string) => text?.replaceAll(name, '…')
    for (const asked of [b.name, b.id]) {
      const missing = newId()
      const [found, none] = [
        await ask(key, COUNT, { project: asked }),
        await ask(key, COUNT, { project: missing }),
      ]
      expect([found.status, found.error?.extensions['code']]).toEqual([404, 'NOT_FOUND'])
      expect(anonymous(found.error?.message, asked)).toBe(anonymous(none.error?.message, missing))
    }
    const own = clientOf(key)
    expect(await own.data(PROJECTS)).toEqual({ projects: [a] })
    expect(
      await own.data('query ($id: ID!) { memory(id: $id) { id } node(id: $id) { id } }', { id }),
    ).toEqual({
      memory: null,
      node: null,
    })
    const { forget } = await own.data(
      'mutation ($id: ID!) { forget(id: $id) { __typename ... on DaybookError { code } } }',
      { id },
    )
    expect(forget).toEqual({ __typename: 'NotFoundError', code: 'NOT_FOUND' })
    // Its scope ADMIN is for its own project.
    const refused = [
      await own.send(KEYS, { project: b.name }),
      await own.send(KEYS, { project: `no ${newId()}` }),
    ]
    for (const { body } of refused) expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'NOT_FOUND' })
    expect(await create({ projects: [b.name] }, own)).toMatchObject({ code: 'NOT_FOUND' })
    expect(await create({ projects: [a.name, b.name] }, own)).toMatchObject({ code: 'NOT_FOUND' })
    expect(await create({ allProjects: true }, own)).toMatchObject({ field: 'input.allProjects' })
    for (const change of [REVOKE, ROTATE])
      expect(Object.values(await own.data(change, { id: other.id }))).toMatchObject([{ code: 'NOT_FOUND' }])
    expect((await ask(other.key, COUNT)).status).toBe(200)
    // What it may: manage its own.
    const mine = await create({ name: 'mine' }, own)
    expect(mine.apiKey.projects).toEqual([a])
    const { keys } = await own.data(KEYS)
    expect(keys.every(({ projects }: { projects: { id: string }[] }) => projects[0]?.id === a.id)).toBe(true)
    expect((await own.data(REVOKE, { id: mine.id })).revokeKey).toMatchObject({ __typename: 'RevokedKey' })
  })

  it('that open more than their administrator administers are seen without the rest, and not changed', async () => {
    const own = clientOf((await create({ projects: [a.id], scopes: ['ADMIN'] })).key)
    const wide = await create({ name: 'wide', projects: [a.id, b.id] })
    const seen = (await own.data(KEYS)).keys.find(({ id }: { id: string }) => id === wide.id)
    expect(seen.projects).toEqual([a])
    for (const change of [REVOKE, ROTATE]) {
      const { body } = await own.send(change, { id: wide.id })
      expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'FORBIDDEN' })
    }
    expect((await ask(wide.key, COUNT, { project: b.id })).status).toBe(200)
  })

  it('the database itself refuses an administrator of A who reaches for B', async () => {
    const { makeKey, revokeKey } = await import('@daybook/postgres/access/manage-keys')
    const { accessOfKey } = await import('@daybook/postgres/access/api-keys')
    const { db } = suite.database
    const made = await create({ projects: [a.id], scopes: ['ADMIN'] })
    const acting = await accessOfKey(db, made.key)
    const other = await create({ projects: [b.id] })
    if (acting === null) throw new Error('the key opens nothing')
    const wanted = { name: 'x', scopes: ['read'], expiresAt: null } as const
    for (const projects of [[b.id], [a.id, b.id], [], null])
      await expect(makeKey(db, acting, { ...wanted, projects })).rejects.toMatchObject({ code: '42501' })
    await expect(revokeKey(db, acting, other.id)).rejects.toMatchObject({ code: '42501' })
    await admin.data(REVOKE, { id: made.id })
    await expect(makeKey(db, acting, { ...wanted, projects: [a.id] })).rejects.toMatchObject({
      code: '42501',
    })
  })

  it('are rotated: both are valid until the grace period ends or the old one is revoked', async () => {
    const old = await create({ projects: [a.id], scopes: ['READ'] })
    const { rotateKey } = await admin.data(ROTATE, { id: old.id })
    const left = Date.parse(rotateKey.replaces.expiresAt) - Date.now()
    expect(left / 3_600_000).toBeCloseTo(24, 1)
    expect(rotateKey.replaces).toMatchObject({ replacedBy: rotateKey.id, isValid: true })
    for (const key of [old.key, rotateKey.key]) {
      expect((await ask(key, COUNT)).status).toBe(200)
      expect((await ask(key, REMEMBER, { variables: NOTE })).error?.extensions['code']).toBe('FORBIDDEN')
    }
    expect((await admin.data(ROTATE, { id: old.id })).rotateKey).toMatchObject({ code: 'REFUSED' })
    await admin.data(REVOKE, { id: old.id })
    expect([(await ask(old.key, COUNT)).status, (await ask(rotateKey.key, COUNT)).status]).toEqual([401, 200])

    const next = (await admin.data(ROTATE, { id: rotateKey.id, grace: 0 })).rotateKey
    expect([(await ask(rotateKey.key, COUNT)).status, (await ask(next.key, COUNT)).status]).toEqual([
      401, 200,
    ])
  })

  it('are made with bad input: the error names the field and the limit', async () => {
    for (const [input, field] of [
      [{ name: '' }, 'input.name'],
      [{ name: 'x'.repeat(256) }, 'input.name'],
      [{ name: 'nul\u0000' }, 'input.name'],
      [{ scopes: [] }, 'input.scopes'],
      [{ projects: [] }, 'input.projects'],
      [{ projects: ['nul\u0000'] }, 'project'],
      [{ projects: [a.id], allProjects: true }, 'input.projects'],
      [{ expiresAt: '2020-01-01T00:00:00Z' }, 'input.expiresAt'],
    ] as const)
      expect(await create(input), JSON.stringify(input)).toMatchObject({
        __typename: 'ValidationError',
        field,
      })
    expect(await create({ projects: ['no such project'] })).toMatchObject({ __typename: 'NotFoundError' })
    for (const id of ['nonsense', newId()]) {
      expect((await admin.data(REVOKE, { id })).revokeKey).toMatchObject({ code: 'NOT_FOUND' })
      expect((await admin.data(ROTATE, { id })).rotateKey).toMatchObject({ code: 'NOT_FOUND' })
    }
    const { id } = await create({})
    const { body } = await admin.send(
      `mutation ($id: ID!) { rotateKey(id: $id, graceSeconds: -1) { ... on ValidationError { field } } }`,
      { id },
    )
    expect(body.data).toEqual({ rotateKey: { field: 'graceSeconds' } })
  })

  it('have a time of last use, written behind the requests', async () => {
    const { id, key } = await create({ projects: [a.id] })
    expect(await lastUsed(id)).toBeNull()
    await ask(key, COUNT)
    await expect.poll(() => lastUsed(id)).not.toBeNull()
    const first = await lastUsed(id)
    await ask(key, COUNT)
    // A use of another key is written with all before it.
    const other = await create({ projects: [a.id] })
    await ask(other.key, COUNT)
    await expect.poll(() => lastUsed(other.id)).not.toBeNull()
    expect(await lastUsed(id)).toBe(first)
  })

  it('that are revoked lose their subscriptions and WebSockets within 5 s, idle ones too', async () => {
    const { id, key } = await create({ projects: [a.id] })
    const closed: number[] = []
    const errors: unknown[] = []
    let connected = 0
    const connect = () =>
      createClient({
        url: `${admin.url.replace('http', 'ws')}/graphql`,
        webSocketImpl: WebSocket,
        connectionParams: { Authorization: `Bearer ${key}`, 'X-Daybook-Project': a.name },
        retryAttempts: 0,
        lazy: false,
        onNonLazyError: () => undefined,
        on: {
          connected: () => (connected += 1),
          closed: (event) => closed.push((event as { code: number }).code),
        },
      })
    const [idle, busy] = [connect(), connect()]
    busy.subscribe(
      { query: 'subscription { events { sequence } }' },
      { next: () => {}, error: (error) => errors.push(error), complete: () => {} },
    )
    await expect.poll(() => connected).toBe(2)
    await admin.data(REVOKE, { id })
    // Whoever is connected does nothing more: their keys are looked at again and again.
    await expect.poll(() => closed).toEqual([4403, 4403])
    expect(KEYS_MS).toBeLessThan(4_000)
    expect(JSON.stringify(errors)).toContain('revoked')
    await Promise.all([idle.dispose(), busy.dispose()])
  })

  it('that are revoked have their imports ended, and their clients are told why', async () => {
    const { id, key } = await create({ allProjects: true, scopes: ['ADMIN', 'WRITE'] })
    const open = new TransformStream<Uint8Array, Uint8Array>()
    const importing = fetch(`${admin.url}/journal/import`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: open.readable,
      duplex: 'half',
    } as RequestInit)
    // `fetch` sends nothing before the body begins.
    const body = open.writable.getWriter()
    await body.write(Buffer.from('{"daybook'))
    // By then it has let the key in.
    await expect.poll(() => lastUsed(id)).not.toBeNull()
    await admin.data(REVOKE, { id })
    const answer = await importing
    expect(answer.status).toBe(401)
    expect(await answer.text()).toContain('was revoked or has expired. What was imported stays')
  })

  describe('and scopes', () => {
    const keyWith = async (...scopes: string[]) => (await create({ projects: [a.id], scopes })).key

    it('a key for reading is refused every mutation there is, and a key for writing every query and subscription', async () => {
      const [read, write, rw] = [
        await keyWith('READ'),
        await keyWith('WRITE'),
        await keyWith('READ', 'WRITE'),
      ]
      const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]
      let checked = 0
      for (const [index, operation] of (['query', 'mutation', 'subscription'] as const).entries())
        for (const field of Object.values(roots[index]?.getFields() ?? {})) {
          checked += 1
          const query = `${operation} { ${callOf(field)} }`
          const needs = field.extensions.needs ?? [operation === 'mutation' ? 'write' : 'read']
          const lacks = (scopes: string[]) => needs.find((one) => !scopes.includes(one))
          for (const [key, scopes] of [
            [read, ['read']],
            [write, ['write']],
            [rw, ['read', 'write']],
          ] as const) {
            const lacking = lacks([...scopes])
            if (lacking === undefined) continue
            const { error, body } = await ask(key, query)
            expect(error?.extensions, query).toMatchObject({ code: 'FORBIDDEN', retryable: false })
            expect(error?.message).toContain(lacking === 'daybook' ? 'ADMIN of all' : lacking.toUpperCase())
            expect(body.data ?? null).toBeNull()
          }
        }
      expect(checked).toBeGreaterThan(50)
    })

    it('READ and WRITE alone allow these mutations. A new one belongs here, or gets its mark (schema/resolve-in-project.ts)', () => {
      const unmarked = Object.values(schema.getMutationType()?.getFields() ?? {})
        .filter(({ extensions }) => extensions.needs === undefined)
        .map(({ name }) => name)
      expect(unmarked.toSorted()).toEqual([
        'cancelOperation',
        'closeSession',
        'forget',
        'indexDocument',
        'mapMemories',
        'remember',
        'rememberMany',
        'reopenTodo',
        'resolveTodo',
        'restore',
        'revise',
        'settle',
        'undo',
      ])
    })

    it('hidden in fragments, aliases and other operations are found; what is not asked for does not count', async () => {
      const read = await keyWith('READ')
      for (const query of [
        'mutation { x: forget(id: "x") { __typename } }',
        'mutation { ...f } fragment f on Mutation { ...g } fragment g on Mutation { forget(id: "x") { __typename } }',
        'mutation { ... on Mutation { ... @include(if: true) { forget(id: "x") { __typename } } } }',
      ])
        expect((await ask(read, query)).error?.extensions['code'], query).toBe('FORBIDDEN')
      const several = await fetch(`${admin.url}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${read}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          query: `query q ${COUNT} mutation m { forget(id: "x") { __typename } }`,
          operationName: 'q',
        }),
      })
      expect(await several.json()).toEqual({ data: { memories: { edges: [] } } })
      expect((await ask(read, '{ __schema { queryType { name } } __typename }')).error).toBeUndefined()
    })

    it('one field that is refused stops the others of its request before they do anything', async () => {
      const rw = await keyWith('READ', 'WRITE')
      const query = `mutation {
        remember(input: { content: { note: { text: "n" } } }) { __typename }
        setLanguage(language: "german") { __typename } }`
      expect((await ask(rw, query)).error?.extensions['code']).toBe('FORBIDDEN')
      expect((await ask(rw, '{ journal { sequence } }')).body.data).toEqual({ journal: [] })
    })

    it('a key for writing gets receipts, and reads nothing from the answers of mutations', async () => {
      const write = await keyWith('WRITE')
      const receipt = `mutation { remember(input: { content: { note: { text: "secret" } } }) {
        ... on Remembered { sequence hash memory { id version } } } }`
      const written = (await ask(write, receipt)).body.data as { remember: { memory: { id: string } } }
      expect(written.remember).toMatchObject({ sequence: 1, memory: { version: 1 } })
      const { id } = written.remember.memory
      for (const inside of [
        'memory { text }',
        'memory { ... on Note { title } }',
        'memory { history { edges { cursor } } }',
      ])
        expect(
          (
            await ask(write, `mutation ($id: ID!) { forget(id: $id) { ... on Forgotten { ${inside} } } }`, {
              variables: { id },
            })
          ).error?.extensions['code'],
          inside,
        ).toBe('FORBIDDEN')
      const similar = receipt.replace('sequence hash', 'similar { hits { score } }')
      expect((await ask(write, similar)).error?.message).toContain('READ')
    })

    it('hold over SSE and WebSocket and for exports too', async () => {
      const [write, ops] = [await keyWith('WRITE'), await create({ allProjects: true, scopes: ['ADMIN'] })]
      const sse = await fetch(`${admin.url}/graphql`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${write}`,
          'content-type': 'application/json',
          accept: 'text/event-stream',
        },
        body: JSON.stringify({ query: 'subscription { events(after: 0) { sequence } }' }),
      })
      expect(await sse.text()).toContain('FORBIDDEN')
      const socket = createClient({
        url: `${admin.url.replace('http', 'ws')}/graphql`,
        webSocketImpl: WebSocket,
        connectionParams: { Authorization: `Bearer ${write}` },
        retryAttempts: 0,
      })
      const answer = await new Promise((resolve) => {
        socket.subscribe({ query: COUNT }, { next: resolve, error: resolve, complete: () => {} })
      })
      expect(JSON.stringify(answer)).toContain('FORBIDDEN')
      await socket.dispose()
      const exported = await fetch(`${admin.url}/journal/export`, {
        headers: { authorization: `Bearer ${ops.key}` },
      })
      expect([exported.status, await exported.text()]).toEqual([403, expect.stringContaining('READ')])
      // It runs the whole Daybook without reading anybody's memories.
      expect((await ask(ops.key, '{ system { version } }')).error).toBeUndefined()
      expect((await ask(ops.key, '{ operations { id } }')).error?.message).toContain('READ')
    })
  })
})

/** A call of a field that is valid, with made-up arguments. */
function callOf(field: GraphQLField<unknown, unknown>): string {
  const given = field.args.flatMap(({ name, type }) =>
    isNonNullType(type) ? [`${name}: ${valueOf(type)}`] : [],
  )
  const selection = 'getFields' in getNamedType(field.type) || 'getTypes' in getNamedType(field.type)
  return `${field.name}${given.length > 0 ? `(${given.join(', ')})` : ''}${selection ? ' { __typename }' : ''}`
}

function valueOf(type: GraphQLInputType): string {
  if (isNonNullType(type)) return valueOf(type.ofType)
  if (isListType(type)) return '[]'
  if (isEnumType(type)) return String(type.getValues()[0]?.name)
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields())
    const given = type.isOneOf ? fields.slice(0, 1) : fields.filter((one) => isNonNullType(one.type))
    return `{ ${given.map((one) => `${one.name}: ${valueOf(one.type)}`).join(', ')} }`
  }
  const values: Record<string, string> = {
    Int: '1',
    Float: '1',
    Boolean: 'true',
    DateTime: '"2026-01-01T00:00:00Z"',
    JSON: '{}',
  }
  return values[type.name] ?? '"x"'
}
