import { createHmac } from 'node:crypto'
import { newId } from '@daybook/memory/id'
import { ensureProject } from '@daybook/postgres/access/projects'
import { SERVICE_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { silentLogger } from '@daybook/runtime/logger'
import { createMemoryLogger } from '@daybook/runtime/testing/memory-logger'
import {
  Client,
  ClientCredentialsProvider,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { createClient } from 'graphql-ws'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { connectMcp, REVISIONS } from '../testing/mcp-client.ts'
import {
  REMEMBER,
  startTestGateway,
  type TestClient,
  type TestGateway,
  testClient,
} from '../testing/test-gateway.ts'
import { RESOURCE, startTestIssuer, type TestIssuer } from '../testing/test-issuer.ts'
import { quarantine, write } from '../testing/writers.ts'
import { createOAuth } from './oauth.ts'

const NOTES = '{ memories { edges { node { text } } } }'
const NOTE = { input: { content: { note: { text: 'a giraffe' } } } }
const METADATA = `${RESOURCE}/.well-known/oauth-protected-resource`
const soon = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds

describe.each(SERVICE_DATABASES)('access tokens on $name', ({ start }) => {
  const { logger, lines } = createMemoryLogger()
  let database: TestDatabase
  let issuer: TestIssuer
  let running: TestGateway
  let admin: TestClient
  let [a, b] = [
    { id: '', name: '' },
    { id: '', name: '' },
  ]
  beforeAll(async () => {
    database = await start()
    issuer = await startTestIssuer()
    running = await startTestGateway(database, undefined, {
      logger,
      environment: { ...issuer.environment, DAYBOOK_OAUTH_AUDIENCE: 'daybook, other' },
    })
    admin = await running.newClient(true)
  })
  afterAll(async () => {
    await running?.stop()
    await issuer?.stop()
    await database?.stop()
  })
  beforeEach(async () => {
    const make = async (name: string) => ({ name, id: await ensureProject(database.db, name) })
    ;[a, b] = [await make(`a ${newId()}`), await make(`b ${newId()}`)]
  })

  const tokenFor = (claims: object = {}, header: object = {}) =>
    issuer.token({ daybook_projects: [a.name], ...claims }, header)
  const clientOf = (token: string) => testClient(admin.url, token, a.id)
  const post = (path: string, token: string | null, body: object = {}, headers: object = {}) =>
    fetch(admin.url + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      body: JSON.stringify(body),
    })
  /** What a request with the token is told, before anything of it runs. */
  const refusal = async (token: string, headers: object = {}) => {
    const response = await post('/graphql', token, { query: NOTES }, headers)
    const { errors = [] } = (await response.json()) as { errors?: { message: string }[] }
    return {
      status: response.status,
      message: errors[0]?.message,
      challenge: response.headers.get('www-authenticate'),
    }
  }
  const call = (name: string, args: object) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: args },
  })

  describe.each(REVISIONS)('over MCP $revision', ({ mode }) => {
    it('read and write', async () => {
      const client = await connectMcp(admin.url, await tokenFor(), { mode })
      const text = `a lighthouse ${newId()}`
      await client.callTool({ name: 'remember', arguments: { memories: [{ text }] } })
      const found = await client.callTool({ name: 'search', arguments: { query: 'lighthouse' } })
      expect(JSON.stringify(found)).toContain(text)
      await client.close()
    })
  })

  it('read and write over GraphQL and WebSocket, under the name of their subject', async () => {
    const client = clientOf(await tokenFor())
    const id = await write(client, 'a harbour')
    const { memory } = await client.data(
      'query ($id: ID!) { memory(id: $id) { writtenBy { keyId trust } history { edges { node { actor } } } } }',
      { id },
    )
    expect(memory.history.edges[0].node.actor).toBe('oauth:alice')
    // Another token of the same subject is the same writer; another subject is another one.
    const { keyId } = memory.writtenBy
    expect(memory.writtenBy.trust).toBe('NORMAL')
    const again = await write(
      clientOf(await tokenFor({ jti: newId(), client_id: 'another' })),
      'a harbour again',
    )
    const other = await write(clientOf(await tokenFor({ sub: 'bob' })), 'a harbour of Bob')
    const writer = async (of: string) =>
      (await client.data('query ($id: ID!) { memory(id: $id) { writtenBy { keyId } } }', { id: of })).memory
        .writtenBy.keyId
    expect([await writer(again), await writer(other)]).toEqual([keyId, expect.not.stringContaining(keyId)])

    const socket = createClient({
      url: `${admin.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { Authorization: `Bearer ${await tokenFor()}` },
      retryAttempts: 0,
    })
    const answer = await new Promise((resolve) => {
      socket.subscribe({ query: NOTES }, { next: resolve, error: resolve, complete: () => {} })
    })
    expect(JSON.stringify(answer)).toContain('a harbour of Bob')
    await socket.dispose()
  })

  it('are taken for each address of this Daybook, and for the names that the settings add', async () => {
    for (const aud of [RESOURCE, `${RESOURCE}/`, `${RESOURCE}/graphql`, 'other', ['elsewhere', 'daybook']])
      expect(await refusal(await tokenFor({ aud })), String(aud)).toMatchObject({ status: 200 })
  })

  it('that are not valid are refused, each with its reason, and say where to get another', async () => {
    const valid = await tokenFor()
    const [, payload = ''] = valid.split('.')
    const encoded = (header: object) => Buffer.from(JSON.stringify(header)).toString('base64url')
    const hs256 = `${encoded({ alg: 'HS256', typ: 'at+jwt', kid: 'key-1' })}.${payload}`
    const forged = createHmac('sha256', await issuer.publicKey())
      .update(hs256)
      .digest('base64url')
    const stranger = await startTestIssuer()
    const cases: [string, string, RegExp][] = [
      ['another issuer', await tokenFor({ iss: 'https://elsewhere.example.com' }), /of another issuer/u],
      ['another audience', await tokenFor({ aud: 'https://elsewhere.example.com' }), /another audience/u],
      ['no audience', await tokenFor({ aud: undefined }), /"aud"|another audience/u],
      ['expired', await tokenFor({ exp: soon(-60) }), /has expired/u],
      ['no expiry', await tokenFor({ exp: undefined }), /"exp"/u],
      ['not yet valid', await tokenFor({ nbf: soon(60) }), /"nbf"/u],
      ['unsigned', `${encoded({ alg: 'none' })}.${payload}.`, /not signed/u],
      ['HS256 with the public key', `${hs256}.${forged}`, /not signed/u],
      ['of an unknown key', await tokenFor({}, { kid: 'key-0' }), /not signed/u],
      [
        'signed by somebody else',
        await stranger.token({ iss: issuer.url, daybook_projects: a.id }),
        /not signed/u,
      ],
      [
        'changed',
        valid.replace(/\.[^.]+\./u, `.${encoded({ iss: issuer.url, sub: 'root' })}.`),
        /not signed/u,
      ],
      ['of another type', await tokenFor({}, { typ: 'logout+jwt' }), /another type/u],
      ['bound to a key', await tokenFor({ cnf: { jkt: 'x' } }), /bound to a key/u],
      ['of nobody', await tokenFor({ sub: undefined }), /of nobody/u],
      ['with projects of another form', await tokenFor({ daybook_projects: { a: 1 } }), /daybook_projects/u],
    ]
    for (const [what, token, reason] of cases)
      expect(await refusal(token), what).toEqual({
        status: 401,
        message: expect.stringMatching(reason),
        challenge: `Bearer realm="daybook", error="invalid_token", scope="daybook:read daybook:write", resource_metadata="${METADATA}/graphql"`,
      })
    await stranger.stop()
    // Nothing of a token is in the log, nor what it claims.
    expect(lines.length).toBeGreaterThanOrEqual(cases.length)
    expect(JSON.stringify(lines)).not.toMatch(/eyJ|alice|daybook_projects":/u)
    // Clocks may differ a little.
    expect((await refusal(await tokenFor({ exp: soon(-5), nbf: soon(5) }))).status).toBe(200)
  })

  it('do what their scopes say, in their projects, and nothing else', async () => {
    await write(clientOf(await tokenFor()), 'a secret of a')
    const readOnly = clientOf(await tokenFor({ scope: 'daybook:read' }))
    expect((await readOnly.send(NOTES)).body.data).toBeDefined()
    expect((await readOnly.send(REMEMBER, NOTE)).body.errors?.[0]?.extensions?.['code']).toBe('FORBIDDEN')
    // As Entra ID and Okta say it.
    expect((await refusal(await tokenFor({ scope: undefined, scp: ['daybook:read'] }))).status).toBe(200)
    for (const scope of [undefined, '', 'openid', 'read', 'daybook:admin', 'daybook:follow', 'DAYBOOK:READ'])
      expect(await refusal(await tokenFor({ scope })), scope).toMatchObject({
        status: 403,
        challenge: expect.stringContaining('error="insufficient_scope", scope="daybook:read daybook:write"'),
      })

    // Whoever opens no project that there is gets in nowhere, and makes none.
    for (const daybook_projects of [undefined, [], '', 'nothing', [newId(), 'a\u0000']])
      expect(await refusal(await tokenFor({ daybook_projects })), String(daybook_projects)).toMatchObject({
        status: 403,
        message: expect.stringContaining('opens no project'),
        challenge: null,
      })
    const inA = await tokenFor()
    for (const project of [b.name, b.id, newId(), 'default'])
      expect(await refusal(inA, { 'x-daybook-project': encodeURIComponent(project) }), project).toMatchObject(
        { status: 404, message: `The project "${project}" was not found in this Daybook` },
      )
    const inB = clientOf(await tokenFor({ daybook_projects: b.id }))
    expect((await inB.data(NOTES)).memories.edges).toEqual([])
    // Of both, a request says which.
    const both = await tokenFor({ daybook_projects: [a.id, b.name, 'nothing'] })
    expect((await refusal(both)).message).toContain('X-Daybook-Project')
    expect((await refusal(both, { 'x-daybook-project': b.id })).status).toBe(200)

    // Nobody administers with a token, nor makes it last by a session of the console.
    const token = clientOf(await tokenFor({ scope: 'daybook:read daybook:write daybook:admin admin' }))
    for (const query of [
      '{ keys { id } }',
      '{ operations { id } quarantines { id } }',
      'mutation { createProject(name: "x") { __typename } }',
      'mutation { createKey(input: { name: "x", scopes: [READ] }) { __typename } }',
      'mutation { erase(id: "note:0192f0c1-0000-7000-8000-000000000000") { __typename } }',
      'mutation { createLoginLink { path } }',
    ])
      expect((await token.send(query)).body.errors?.[0]?.extensions?.['code'], query).toBe('FORBIDDEN')
    expect(
      (await fetch(`${admin.url}/journal/export`, { headers: { authorization: `Bearer ${inA}` } })).status,
    ).toBe(403)
  })

  it('lead a client of MCP to the issuer, and to the scope that it lacks', async () => {
    const nobody = await post('/mcp', null, call('search', { query: 'x' }))
    expect([nobody.status, nobody.headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer realm="daybook", scope="daybook:read daybook:write", resource_metadata="${METADATA}/mcp"`,
    ])
    for (const path of ['', '/mcp', '/graphql']) {
      const metadata = await fetch(`${admin.url}/.well-known/oauth-protected-resource${path}`)
      expect([metadata.status, await metadata.json()]).toEqual([
        200,
        {
          resource: RESOURCE + path,
          authorization_servers: [issuer.url],
          scopes_supported: ['daybook:read', 'daybook:write'],
          bearer_methods_supported: ['header'],
          resource_name: 'Daybook',
        },
      ])
    }
    expect((await fetch(`${admin.url}/.well-known/oauth-protected-resource/else`)).status).toBe(404)
    expect((await post('/.well-known/oauth-protected-resource', null)).status).toBe(405)

    // The SDK's client gets from there to a token by itself.
    const byItself = new Client({ name: 'test-agent', version: '1.0.0' })
    await byItself.connect(
      new StreamableHTTPClientTransport(new URL(`${RESOURCE}/mcp`), {
        authProvider: new ClientCredentialsProvider({
          clientId: a.id,
          clientSecret: 'secret',
          expectedIssuer: issuer.url,
        }),
        fetch: (url, init) => fetch(String(url).replace(RESOURCE, admin.url), init),
      }),
    )
    await byItself.callTool({ name: 'remember', arguments: { memories: [{ text: 'a logbook' }] } })
    const other = clientOf(await tokenFor())
    await expect
      .poll(async () => (await other.data(NOTES)).memories.edges)
      .toEqual([{ node: { text: 'a logbook' } }])
    await byItself.close()

    const readOnly = await tokenFor({ scope: 'daybook:read' })
    const refused = await post('/mcp', readOnly, call('remember', { memories: [{ text: 'x' }] }))
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      403,
      `Bearer realm="daybook", error="insufficient_scope", scope="daybook:read daybook:write", resource_metadata="${METADATA}/mcp"`,
    ])
    // What it may do is answered all the same, in both revisions.
    for (const { mode } of REVISIONS) {
      const client = await connectMcp(admin.url, readOnly, { mode })
      expect((await client.listTools()).tools.length).toBeGreaterThan(5)
      expect((await client.callTool({ name: 'search', arguments: { query: 'größer' } })).isError).not.toBe(
        true,
      )
      await client.close()
    }
    const writeOnly = await tokenFor({ scope: 'daybook:write' })
    expect((await post('/mcp', writeOnly, call('search', { query: 'x' }))).status).toBe(403)
    expect((await post('/mcp', writeOnly, call('remember', { memories: [{ text: 'x' }] }))).status).toBe(200)
    expect((await post('/mcp', readOnly, [null, 5, call('remember', {})])).status).toBe(403)
  })

  it('stop writing once their subject is in quarantine', async () => {
    const client = clientOf(await tokenFor({ sub: `mallory ${newId()}` }))
    const id = await write(client, 'a poisoned note')
    const { memory } = await client.data('query ($id: ID!) { memory(id: $id) { writtenBy { keyId } } }', {
      id,
    })
    const of = { key: memory.writtenBy.keyId, all: true }
    expect(await quarantine(admin, of)).toMatchObject({ __typename: 'QuarantineBegun' })
    expect((await client.send(REMEMBER, NOTE)).body.errors?.[0]?.extensions?.['code']).toBe('QUARANTINED')
    expect((await client.data(NOTES)).memories.edges).toEqual([])
  })

  it('end their subscriptions when they expire', async () => {
    const socket = createClient({
      url: `${admin.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { Authorization: `Bearer ${await tokenFor({ exp: soon(-22) })}` },
      retryAttempts: 0,
    })
    const end = await new Promise((resolve) => {
      socket.subscribe(
        { query: 'subscription { events { sequence } }' },
        { next: resolve, error: resolve, complete: () => resolve('nothing was said') },
      )
    })
    expect(JSON.stringify(end)).toContain('access token of this subscription')
    await socket.dispose()
  })

  it('are of no use to an issuer that is down, while keys are', async () => {
    const down = await startTestIssuer()
    down.answers(false)
    const own = await startTestGateway(database, null, { environment: down.environment })
    const keyed = await own.newClient()
    expect((await keyed.data(NOTES)).memories.edges).toEqual([])
    const token = await down.token({ daybook_projects: keyed.projectId })
    const tokened = testClient(keyed.url, token, keyed.projectId)
    for (const _ of ['now', 'and just after']) {
      const { status, body } = await tokened.send(NOTES)
      expect([status, body.errors?.[0]?.extensions, body.errors?.[0]?.message]).toEqual([
        503,
        expect.objectContaining({ code: 'UNAVAILABLE', retryable: true }),
        expect.stringContaining('DAYBOOK_OAUTH_ISSUER'),
      ])
    }
    // Nobody has it asked again and again.
    expect(down.asked.length).toBeLessThanOrEqual(3)
    down.answers(true)
    await expect.poll(async () => (await tokened.send(NOTES)).status).toBe(200)
    // Its keys are known by now.
    down.answers(false)
    expect(
      (
        await testClient(
          keyed.url,
          await down.token({ daybook_projects: keyed.projectId, jti: '2' }),
          keyed.projectId,
        ).send(NOTES)
      ).status,
    ).toBe(200)
    await own.stop()
    await down.stop()
  })

  it.each(['oauth-authorization-server', 'openid-configuration'] as const)(
    'go on when their issuer takes another key, found by %s',
    async (discovery) => {
      const rotating = await startTestIssuer(discovery, '/tenant')
      const config = { issuer: rotating.url, resource: RESOURCE, audience: [], projects: [a.name] }
      const parts = { db: database.db, logger: silentLogger }
      const [oauth, cooling] = [createOAuth(config, parts, 0), createOAuth(config, parts)]
      const before = await rotating.token()
      for (const one of [oauth, cooling])
        expect(await one.accessOf(before)).toMatchObject({ projectId: a.id })
      await rotating.rotate()
      const after = await rotating.token()
      expect(await oauth.accessOf(after)).toMatchObject({ projectId: a.id, admin: false })
      // A key that the issuer took back is worth nothing.
      await expect(oauth.accessOf(before)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
      // Strangers cannot have the issuer asked for each of their tokens.
      const { length } = rotating.asked
      for (let count = 0; count < 3; count++)
        await expect(cooling.accessOf(after)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
      expect(rotating.asked.length).toBe(length)
      await rotating.stop()
    },
  )

  it('of an issuer that says to be another one are not taken', async () => {
    const { url, ...other } = await startTestIssuer()
    const config = { issuer: `${url}/`, resource: RESOURCE, audience: [], projects: [a.name] }
    const oauth = createOAuth(config, { db: database.db, logger: silentLogger })
    await expect(oauth.accessOf(await other.token())).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await other.stop()
  })

  it('are unknown keys where no issuer is set', async () => {
    const plain = await startTestGateway(database, null)
    const { url, projectId } = await plain.newClient()
    const response = await fetch(`${url}/mcp`, { headers: { authorization: `Bearer ${await tokenFor()}` } })
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="daybook"',
    ])
    expect((await fetch(`${url}/.well-known/oauth-protected-resource/mcp`)).status).toBe(404)
    expect((await testClient(url, await tokenFor(), projectId).send(NOTES)).status).toBe(401)
    await plain.stop()
  })
})
