import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { TEST_DATABASES, type TestDatabaseKind } from '@daybook/postgres/testing/test-database'
import { needing } from '@daybook/runtime/testing/needing'
import { search } from '@daybook/search/search'
import { type EngineHarness, startEngineHarness } from '@daybook/search/testing/search-engines-harness'
import { createTypesenseClient } from '@daybook/typesense/client/client'
import { inspectTypesense } from '@daybook/typesense/read/report'
import { typesenseSearchEngine } from '@daybook/typesense/search/search-engine'
import { createTypesenseSearch } from '@daybook/typesense/search/typesense-search'
import { type AttachedTypesense, attachTypesense } from '@daybook/typesense/testing/attach-typesense'
import { collectionName } from '@daybook/typesense/write/collection'
import {
  REAL_TYPESENSE,
  type TestTypesense,
  TYPESENSE_SERVERS,
  type TypesenseKind,
} from '@daybook/typesense-double/typesense-servers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { REPOSITORY } from '../support/daemon.ts'

const real = TYPESENSE_SERVERS.find(({ name }) => name === 'a real server')

const newKey = () => randomBytes(24).toString('hex')

needing(REAL_TYPESENSE).describe('keys of Typesense, made by infra/typesense/keys.mjs', () => {
  let server: TestTypesense
  const [embedded] = TEST_DATABASES as [TestDatabaseKind]
  let harness: EngineHarness<AttachedTypesense>
  const [gateway, projector] = [newKey(), newKey()]

  const makeKeys = (environment: Readonly<Record<string, string>> = {}) =>
    spawnSync(process.execPath, ['infra/typesense/keys.mjs'], {
      cwd: REPOSITORY,
      encoding: 'utf8',
      env: {
        TYPESENSE_URL: server.url,
        TYPESENSE_API_KEY: server.apiKey,
        TYPESENSE_GATEWAY_KEY: gateway,
        TYPESENSE_PROJECTOR_KEY: projector,
        ...environment,
      },
    })

  beforeAll(async () => {
    server = await (real as TypesenseKind).start()
  })
  afterAll(async () => {
    await harness?.stop()
    await server?.stop()
  })

  it('are made once, and not without the server’s own', () => {
    expect(makeKeys({ TYPESENSE_API_KEY: newKey() })).toMatchObject({ status: 1 })
    expect(makeKeys({ TYPESENSE_GATEWAY_KEY: '' }).stderr).toContain('TYPESENSE_GATEWAY_KEY is not set')
    expect(makeKeys()).toMatchObject({ status: 0, stderr: '' })
    expect(makeKeys().stdout).toBe(
      'TYPESENSE_GATEWAY_KEY: is there already\nTYPESENSE_PROJECTOR_KEY: is there already\n',
    )
  })

  it('let a projector keep its collection and its documents, and a gateway search them', async () => {
    harness = await startEngineHarness(embedded, {
      attach: (readModel) =>
        attachTypesense(readModel, {
          name: 'as a projector',
          start: async () => ({ ...server, apiKey: projector, stop: async () => {} }),
        }),
    })
    const { alias } = harness.attached
    const scope = await harness.newProject()
    await harness.remember(scope, { content: { kind: 'note', fields: { text: 'a kittiwake' } } })
    const asGateway = createTypesenseSearch({
      url: server.url,
      apiKey: gateway,
      base: alias,
      timeoutMs: 240_000,
    })
    const slot = { ...harness.attached.slot, search: typesenseSearchEngine(asGateway) }
    const answer = await search(
      { ...harness.parts(scope), engines: [slot] },
      { query: 'kittiwake', mode: 'KEYWORD', engine: 'TYPESENSE', limit: 5, filter: {} },
    )
    expect(answer).toMatchObject({ engine: 'TYPESENSE', degraded: [] })
    expect(answer.hits).toHaveLength(1)
    asGateway.close()
  })

  it('let nobody do more', async () => {
    const as = (apiKey: string, path: string, method: string, body?: object) =>
      fetch(`${server.url}${path}`, {
        method,
        headers: { 'x-typesense-api-key': apiKey, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }).then(({ status }) => status)
    const document = { id: 'forged' }
    const collection = collectionName(1, harness.attached.alias)
    const refused = [401, 403]
    expect(refused).toContain(await as(gateway, `/collections/${collection}/documents`, 'POST', document))
    expect(refused).toContain(
      await as(gateway, `/collections/${collection}/documents?filter_by=id:a`, 'DELETE'),
    )
    expect(refused).toContain(await as(gateway, `/collections/${collection}/documents/export`, 'GET'))
    expect(refused).toContain(await as(gateway, `/collections/${collection}`, 'DELETE'))
    expect(refused).toContain(await as(gateway, `/aliases/${harness.attached.alias}`, 'DELETE'))
    for (const key of [gateway, projector]) {
      expect(refused).toContain(await as(key, '/keys', 'GET'))
      expect(refused).toContain(
        await as(key, '/keys', 'POST', { description: 'x', actions: ['*'], collections: ['*'] }),
      )
      expect(refused).toContain(await as(key, '/collections/others', 'GET'))
    }
  })

  it('tell a gateway what doctor shows', async () => {
    const client = createTypesenseClient({ url: server.url, apiKey: gateway })
    const facts = await inspectTypesense(client, { generation: 1 }, harness.attached.alias)
    client.close()
    expect(facts).toMatchObject({ problem: null, alias: expect.stringContaining(harness.attached.alias) })
    expect(facts.version).toMatch(/^\d/u)
  })
})
