import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startTypesenseDouble, type TypesenseDouble } from './start-typesense-double.ts'

const FIELDS = [
  { name: 'project', type: 'string' },
  { name: 'labels', type: 'string[]', optional: true },
  { name: 'text', type: 'string', stem: true, token_separators: ['-'], optional: true },
  { name: 'at', type: 'int64', optional: true },
]

let double: TypesenseDouble
beforeEach(async () => {
  double = await startTypesenseDouble({ apiKey: 'key' })
})
afterEach(() => double.stop())

async function ask(method: string, path: string, body?: unknown) {
  const answer = await fetch(double.url + path, {
    method,
    headers: { 'x-typesense-api-key': double.apiKey },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, text, json: () => JSON.parse(text) }
}

const fill = async (...documents: object[]) => {
  await ask('POST', '/collections', { name: 'c', fields: FIELDS })
  const lines = documents.map((document) => JSON.stringify(document)).join('\n')
  return (await ask('POST', '/collections/c/documents/import?action=upsert', lines)).text
}

async function ids(parameters: Record<string, string>): Promise<string[]> {
  const query = new URLSearchParams({ q: '*', query_by: 'text', ...parameters })
  const { json } = await ask('GET', `/collections/c/documents/search?${query}`)
  const { hits, message } = json()
  return hits?.map((hit: { document: { id: string } }) => hit.document.id).toSorted() ?? [message]
}

describe('the double finds', () => {
  beforeEach(() =>
    fill(
      { id: '1', project: 'p1', labels: ['a b', 'c'], text: 'running caches', at: 5 },
      { id: '2', project: 'p2', labels: ['d'], text: 'jwt-validation' },
      { id: '3', project: 'p1', text: 'generous' },
    ),
  )

  it.each([
    ['run', ['1']],
    ['cached', ['1']],
    ['validate', ['2']],
    ['jwt', ['2']],
    ['general', []],
  ])('%s by its stem, in a text cut at the separators of its field', async (q, wanted) => {
    expect(await ids({ q, num_typos: '0', prefix: 'false' })).toEqual(wanted)
  })

  it.each([
    ['project:=`p1`', ['1', '3']],
    ['project:=`p1` && at:>=5', ['1']],
    // The real server reads from the left and treats both operators alike.
    ['project:=`p1` || project:=`p2` && labels:=`d`', ['2']],
    ['project:=`p1` || (project:=`p2` && labels:=`d`)', ['1', '2', '3']],
    ['labels:=[`d`,`a b`]', ['1', '2']],
    ['labels:=`a`', []],
    ['labels:`a`', ['1']],
    ['labels:!=`d`', ['1', '3']],
    ['id:=[1,2]', ['1', '2']],
    ['at:[4..6]', ['1']],
    ['project:=`x` || project:=`p2`', ['2']],
    ['at:>x', ['Error with filter field `at`: Not an int64.']],
    ['project:=`p1` &&', ['Could not parse the filter query: unbalanced `&&` operands.']],
    ['project:=``', ['Error with filter field `project`: Filter value cannot be empty.']],
  ])('what the filter %s lets through', async (filter, wanted) => {
    expect(await ids({ filter_by: filter })).toEqual(wanted)
  })
})

describe('on demand the double', () => {
  it('refuses connections and listens again at the same address', async () => {
    await double.faults.refuse()
    await expect(ask('GET', '/health')).rejects.toThrow('fetch failed')
    await double.faults.accept()
    expect((await ask('GET', '/health')).status).toBe(200)
  })

  it('is not ready', async () => {
    double.faults.notReady(true)
    expect(await ask('GET', '/collections')).toMatchObject({
      status: 503,
      text: '{"message":"Not Ready or Lagging"}',
    })
    expect((await ask('GET', '/health')).json()).toEqual({ ok: false })
    double.faults.notReady(false)
    expect((await ask('GET', '/collections')).status).toBe(200)
  })

  it('fails single lines of an import, in an answer of 200', async () => {
    double.faults.failLines(({ id }) => (id === '2' ? 'disk full' : null))
    const answer = await fill({ id: '1', project: 'p' }, { id: '2', project: 'p' }, { id: '3', project: 'p' })
    expect(answer.split('\n').map((line) => JSON.parse(line))).toEqual([
      { success: true },
      { code: 500, error: 'disk full', success: false },
      { success: true },
    ])
    expect(await ids({})).toEqual(['1', '3'])
  })

  it('loses everything', async () => {
    await fill({ id: '1', project: 'p' })
    double.faults.loseEverything()
    expect((await ask('GET', '/collections')).json()).toEqual([])
  })

  it('answers later, and tells what it was asked', async () => {
    double.faults.slow(3_600_000)
    const leaving = new AbortController()
    const left = fetch(`${double.url}/health`, { signal: leaving.signal }).catch((error: unknown) => error)
    await vi.waitUntil(() => double.calls.length > 0)
    leaving.abort()
    expect(await left).toMatchObject({ name: 'AbortError' })
    expect(double.calls).toEqual(['GET /health'])
  })
})

it('keeps its data in a file, over a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'typesense-double-'))
  try {
    const options = { apiKey: 'key', dataFile: join(folder, 'data.json') }
    await double.stop()
    double = await startTypesenseDouble(options)
    await fill({ id: '1', project: 'p', text: 'running' })
    await ask('PUT', '/aliases/live', { collection_name: 'c' })
    await double.stop()
    double = await startTypesenseDouble(options)
    expect(await ids({ q: 'run' })).toEqual(['1'])
    expect((await ask('GET', '/aliases/live')).json()).toEqual({ collection_name: 'c', name: 'live' })
    await double.stop()
  } finally {
    rmSync(folder, { recursive: true })
  }
})
