import { request } from 'node:http'
import { verifyJournal } from '@daybook/journal/chain/verify-journal'
import { readHead } from '@daybook/journal/read/read'
import { changeActor } from '@daybook/journal/testing/tamper'
import { newId } from '@daybook/memory/id'
import { createApiKey } from '@daybook/postgres/access/api-keys'
import { ensureProject } from '@daybook/postgres/access/projects'
import { projectScope } from '@daybook/postgres/project-scope'
import { asOwner } from '@daybook/postgres/testing/as-owner'
import { rowsWith } from '@daybook/postgres/testing/rows-with'
import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startTestGateway, type TestClient, testClient } from './testing/test-gateway.ts'

/*
 * From the first of the databases into the last: where there is a native Postgres, from one kind into the
 * other.
 */
const KINDS = TEST_DATABASES.map((kind, index) => ({
  kind,
  other: TEST_DATABASES[TEST_DATABASES.length - 1 - index] ?? kind,
}))

const REMEMBER_MANY =
  'mutation ($inputs: [RememberInput!]!) { rememberMany(inputs: $inputs) { ... on Remembered { sequence } } }'
const SEARCH = `query ($query: String!, $atLeast: Int!) {
  search(query: $query, mode: KEYWORD, atLeast: $atLeast) { sequence hits { memory { ... on Note { text } } } }
}`

describe.each(KINDS)('moving a journal over HTTP from $kind.name to $other.name', ({ kind, other }) => {
  let source: Side
  let target: Side
  beforeAll(async () => {
    source = await startSide(kind.start)
    target = await startSide(other.start)
  })
  afterAll(async () => {
    await source?.stop()
    await target?.stop()
  })

  async function remember(client: TestClient, count: number, text = 'platypus'): Promise<void> {
    for (let from = 0; from < count; from += 100) {
      const inputs = Array.from({ length: Math.min(100, count - from) }, (_, index) => ({
        content: { note: { text: `${text} ${from + index}` } },
        idempotencyKey: `${text.slice(0, 100)} ${from + index}`,
      }))
      await client.data(REMEMBER_MANY, { inputs })
    }
  }

  it('brings all of it over, byte for byte, and its memories are found there', async () => {
    const client = await source.gateway.newClient()
    // Two pages of what is exported at once (200), and two of what is imported (300).
    await remember(client, 350)
    const { status, type, text } = await source.export()
    expect([status, type]).toEqual([200, 'application/x-ndjson; charset=utf-8'])
    expect(text.match(/^\{"event":/gmu)).toHaveLength(350)
    expect(text.match(/^\{"project":/gmu)).toHaveLength(2)

    const imported = await target.import(text)
    expect(imported).toMatchObject({ status: 200, result: { imported: 350, alreadyThere: 0 } })
    expect((await target.export(client.projectId)).text).toBe((await source.export(client.projectId)).text)
    expect(await target.import(text)).toMatchObject({ result: { imported: 0, alreadyThere: 350 } })

    const there = testClient(target.url, await target.keyOf(client.projectId), client.projectId)
    await expect
      .poll(() => there.data(SEARCH, { query: '"platypus 349"', atLeast: 350 }).then(({ search }) => search))
      .toEqual({ sequence: 350, hits: [{ memory: { text: 'platypus 349' } }] })
  })

  it('brings erasures over: what was found there is in no table there any more', async () => {
    const client = await source.gateway.newClient(true)
    const marker = `zq${newId().slice(-8)}x`
    await client.data(REMEMBER_MANY, {
      inputs: [marker, 'stays'].map((text) => ({ content: { note: { text: `${text} of the harbour` } } })),
    })
    await target.import((await source.export(client.projectId)).text)
    const there = testClient(target.url, await target.keyOf(client.projectId), client.projectId)
    const found = async (atLeast: number): Promise<string[]> => {
      const { search } = await there.data(SEARCH, { query: 'harbour', atLeast })
      return search.sequence < atLeast
        ? ['not yet']
        : search.hits.map(({ memory }: { memory: { text: string } }) => memory.text)
    }
    await expect.poll(() => found(2)).toHaveLength(2)

    const { search } = await client.data(
      'query ($query: String!) { search(query: $query, mode: KEYWORD, atLeast: 2) { hits { memory { id } } } }',
      { query: marker },
    )
    await client.data('mutation ($id: ID!) { erase(id: $id) { __typename } }', {
      id: search.hits[0].memory.id,
    })
    const { text } = await source.export(client.projectId)
    expect(await target.import(text)).toMatchObject({ status: 200, result: { imported: 1, alreadyThere: 2 } })
    await expect.poll(() => found(3)).toEqual(['stays of the harbour'])
    expect(await rowsWith(target.database, marker)).toEqual([])
    expect(await verifyJournal(projectScope(target.database.db, client.projectId))).toMatchObject({
      events: 3,
      erased: 2,
      problems: 0,
    })
    expect((await target.export(client.projectId)).text).toBe(text)
  })

  it('takes a journal that is far longer than any other request may be', async () => {
    const client = await source.gateway.newClient()
    // As metadata, so that no words and vectors are made of it.
    const metadata = { filler: 'lorem ipsum '.repeat(1_350) }
    for (let round = 0; round < 2; round += 1)
      await client.data(REMEMBER_MANY, {
        inputs: Array.from({ length: 55 }, (_, index) => ({
          content: { note: { text: `${round} ${index}` } },
          metadata,
        })),
      })
    const { text } = await source.export(client.projectId)
    expect(text.length).toBeGreaterThan(1.5 * 1024 * 1024)
    expect(await target.import(text)).toMatchObject({ status: 200, result: { imported: 110 } })
    expect((await target.export(client.projectId)).text).toBe(text)
  })

  it('exports one project by name or id, and knows no other', async () => {
    const name = `shop & ${newId()}`
    const id = await ensureProject(source.database.db, name)
    const { text } = await source.export(name)
    expect(JSON.parse(text.split('\n')[1] ?? '')).toMatchObject({ project: { id, name, events: 0 } })
    expect((await source.export(id.toUpperCase())).text).toBe(text)
    expect(await source.export('no such project')).toMatchObject({
      status: 404,
      text: expect.stringContaining('There is no project \\"no such project\\"'),
    })
  })

  it('is for keys that may run the whole Daybook', async () => {
    const { url } = source
    const { key } = await source.gateway.newClient()
    for (const [path, method] of [
      ['/journal/export', 'GET'],
      ['/journal/import', 'POST'],
    ] as const) {
      const send = async (headers: Record<string, string>, with_ = method as string) => {
        const response = await fetch(`${url}${path}`, { method: with_, headers })
        const { errors } = (await response.json()) as { errors: { extensions: { code: string } }[] }
        return [response.status, errors[0]?.extensions.code]
      }
      expect(await send({})).toEqual([401, 'UNAUTHENTICATED'])
      expect(await send({ authorization: 'Bearer dbk_wrong', accept: 'text/html' })).toEqual([
        401,
        'UNAUTHENTICATED',
      ])
      expect(await send({ authorization: `Bearer ${key}` })).toEqual([403, 'FORBIDDEN'])
      expect(await send({ authorization: `Bearer ${source.key}` }, 'DELETE')).toEqual([
        405,
        'METHOD_NOT_ALLOWED',
      ])
    }
  })

  it('answers what is no export with the line, also where the client is still sending', async () => {
    expect(await target.import('{"content":{}}\n')).toMatchObject({
      status: 400,
      error: { code: 'INVALID_EXPORT', line: 1 },
    })
    expect(await target.import('')).toMatchObject({ status: 400, error: { code: 'INVALID_EXPORT' } })
    const client = await source.gateway.newClient()
    await remember(client, 3)
    const { text } = await source.export(client.projectId)
    const lines = text.split('\n')
    const changed = [...lines.slice(0, 3), lines[3]?.replace('platypus', 'elephant'), ...lines.slice(4)].join(
      '\n',
    )
    const filler = `${'x'.repeat(1023)}\n`.repeat(20_000)
    expect(await target.import(changed + filler)).toMatchObject({
      status: 400,
      error: { code: 'INVALID_EXPORT', line: 4, message: expect.stringContaining('its data does not match') },
    })
    // Two exports in one file: the first is imported, and nobody believes that the second is.
    expect(await target.import(text + text)).toMatchObject({
      error: {
        code: 'INVALID_EXPORT',
        line: 7,
        message: expect.stringContaining('after the end of the export'),
      },
    })
    expect(await target.import(text)).toMatchObject({ result: { imported: 0, alreadyThere: 3 } })
  })

  it('broken off by its client goes on where it was', async () => {
    const client = await source.gateway.newClient()
    // More than the 300 events that are imported at once, also in the part that is sent.
    await remember(client, 450)
    const { text } = await source.export(client.projectId)
    const upload = request(`${target.url}/journal/import`, {
      method: 'POST',
      headers: { authorization: `Bearer ${target.key}` },
    })
    upload.on('error', () => {})
    upload.write(text.slice(0, text.length * 0.8))
    const { projectId } = client
    await vi.waitUntil(() => readHead(projectScope(target.database.db, projectId)))
    await new Promise((closed) => upload.once('close', closed).destroy())
    const { result } = await target.import(text)
    expect(result).toMatchObject({ imported: expect.any(Number), alreadyThere: expect.any(Number) })
    expect(Number(result?.['imported']) + Number(result?.['alreadyThere'])).toBe(450)
    expect(result?.['imported']).toBeLessThan(450)
    expect(result?.['alreadyThere']).toBeLessThan(450)
    expect((await target.export(client.projectId)).text).toBe(text)
  })

  it('gives the imported project the key of the empty one that had its name, at once', async () => {
    const name = `default ${newId()}`
    const sourceId = await ensureProject(source.database.db, name)
    const client = testClient(source.url, await source.keyOf(sourceId), sourceId)
    await remember(client, 2)
    const emptyId = await ensureProject(target.database.db, name)
    const key = await asOwner(target.database, (owner) =>
      createApiKey(owner, emptyId, 'default', { admin: true }),
    )
    const there = testClient(target.url, key, sourceId)
    const journal = async () => (await there.data('{ journal { sequence } }'))['journal']
    expect(await journal()).toEqual([])
    const { text } = await source.export(name)
    expect(await target.import(text, key)).toMatchObject({
      result: { imported: 2, projects: [{ id: sourceId, name, events: 2, tookOver: true }] },
    })
    expect(await journal()).toEqual([{ sequence: 1 }, { sequence: 2 }])
    await remember(there, 3)
    expect(await journal()).toEqual([{ sequence: 1 }, { sequence: 2 }, { sequence: 3 }])

    await remember(client, 3, 'another')
    expect(await target.import((await source.export(name)).text, key)).toMatchObject({
      status: 409,
      error: { code: 'IMPORT_CONFLICT', sequence: 3 },
    })
  })

  it('does not let a changed journal out as if it were whole', async () => {
    const client = await source.gateway.newClient()
    await remember(client, 3)
    const { text } = await source.export(client.projectId)
    await changeActor(source.database, client.projectId, 2)
    const response = await fetch(`${source.url}/journal/export?project=${client.projectId}`, {
      headers: { authorization: `Bearer ${source.key}` },
    })
    let received = ''
    const reading = (async () => {
      const decoder = new TextDecoder()
      for await (const part of response.body ?? []) received += decoder.decode(part, { stream: true })
    })()
    await expect(reading).rejects.toThrow('terminated')
    expect(received).toContain('"code":"CORRUPT_JOURNAL"')
    expect(await target.import(text.slice(0, text.lastIndexOf('{"end"')) + received)).toMatchObject({
      status: 400,
    })
  })
})

type Side = Awaited<ReturnType<typeof startSide>>

/** A gateway on a database of its own, with a key that may run it. */
async function startSide(start: () => Promise<TestDatabase>) {
  const database = await start()
  const gateway = await startTestGateway(database)
  const { url } = gateway.gateway
  const keyOf = (projectId: string, admin = false) =>
    asOwner(database, (owner) => createApiKey(owner, projectId, `key-${newId()}`, { admin }))
  const key = await keyOf((await database.newProject()).projectId, true)
  return {
    database,
    gateway,
    url,
    key,
    keyOf,
    async export(project?: string) {
      const query = project === undefined ? '' : `?project=${encodeURIComponent(project)}`
      const response = await fetch(`${url}/journal/export${query}`, {
        headers: { authorization: `Bearer ${key}` },
      })
      return {
        status: response.status,
        type: response.headers.get('content-type'),
        text: await response.text(),
      }
    },
    async import(text: string, as = key) {
      const body = new Blob([text]).stream()
      const response = await fetch(`${url}/journal/import`, {
        method: 'POST',
        headers: { authorization: `Bearer ${as}` },
        body,
        duplex: 'half',
      } as RequestInit)
      const lines = (await response.text()).trimEnd().split('\n')
      const last = JSON.parse(lines.at(-1) ?? '') as {
        result?: Record<string, unknown>
        error?: object
        errors?: { message: string; extensions: object }[]
      }
      const [refused] = last.errors ?? []
      const error = refused === undefined ? last.error : { message: refused.message, ...refused.extensions }
      return { status: response.status, lines, result: last.result, error }
    },
    async stop() {
      await gateway.stop()
      await database.stop()
    },
  }
}
