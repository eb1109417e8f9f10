import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Collection } from '../collection.ts'
import { printReport } from '../report/print-report.ts'
import { readReport, writeReport } from '../report/write-report.ts'
import { describedPeer } from './described-peer.ts'
import { evaluatePeers } from './evaluate-peers.ts'
import { openPeers } from './open-peers.ts'

const SERVER = fileURLToPath(new URL('./testing-mcp-server.mjs', import.meta.url))
const MCP = {
  name: 'words',
  command: [process.execPath, SERVER],
  store: { tool: 'add', arguments: { items: { $each: { id: '$id', text: '$text' } } } },
  search: { tool: 'find', arguments: { query: '$question', count: '$limit' } },
  results: '*.id',
}

const memory = (id: string, text: string) => ({ id, input: { content: { note: { text } } } })
const group = (name: string, text: string) => ({
  name,
  memories: [memory('m1', text), memory('m2', 'something else')],
  questions: [{ id: `${name}1`, text, category: 'exact', relevant: new Map([['m1', 1]]) }],
})
const COLLECTION: Collection = { name: 'two', groups: [group('x', 'red beans'), group('y', 'green peas')] }

let folder: string
let server: Server | undefined
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-peers-'))
})
afterEach(() => {
  server?.close()
  server = undefined
  rmSync(folder, { recursive: true })
})

function described(description: object): string {
  const file = join(folder, 'peer.json')
  writeFileSync(file, JSON.stringify(description))
  return file
}

describe('a server of the Model Context Protocol', () => {
  it('is started anew for each group, asked, and measured', async () => {
    const [report] = await evaluatePeers(openPeers([described(MCP)], COLLECTION), COLLECTION, () => {})
    expect(report).toMatchObject({
      name: 'words',
      all: { questions: 2, measures: { 'recall@5': 1, MRR: 1 } },
    })
    expect(report?.questions.map(({ ranks }) => ranks)).toEqual([{ m1: 1 }, { m1: 1 }])
    expect(report?.peer?.findableMs?.p50).toBeGreaterThan(0)
    expect(report?.peer?.storedPerSecond).toBeGreaterThan(0)
  })

  it('begins empty, and finds only what was stored', async () => {
    const peer = describedPeer(described(MCP))
    const [first, second] = [await peer.open('x'), await peer.open('y')]
    await first.store([{ id: 'm1', text: 'red beans', input: {} }])
    await second.store([{ id: 'm2', text: 'green beans', input: {} }])
    expect([await first.search('beans', 9), await second.search('beans', 9)]).toEqual([['m1'], ['m2']])
    await Promise.all([first.close(), second.close()])
  })

  it('is named with its error', async () => {
    const wrong = { ...MCP, search: { ...MCP.search, tool: 'seek' } }
    const store = await describedPeer(described(wrong)).open('x')
    await expect(store.search('a', 1)).rejects.toThrow('seek answered: no such tool')
    await store.close()
    const leaving = await describedPeer(described({ ...MCP, search: { tool: 'leave', arguments: {} } })).open(
      'x',
    )
    await expect(leaving.search('a', 1)).rejects.toThrow('has ended (3)')
    await leaving.close()
    await expect(
      describedPeer(described({ ...MCP, command: ['/no/such/program'] })).open('x'),
    ).rejects.toThrow('cannot be started')
  })
})

it('a server with an API over HTTP is asked, a memory a call, and its texts are known again', async () => {
  const texts: string[] = []
  const asked: (string | undefined)[] = []
  server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    asked.push(request.headers['x-key'] as string | undefined)
    const url = new URL(request.url ?? '', 'http://peer')
    if (url.pathname === '/items') texts.push((JSON.parse(body) as { text: string }).text)
    if (url.pathname === '/fails') response.statusCode = 500
    const found = texts.filter((text) => text.includes((url.searchParams.get('q') ?? '').split(' ')[0] ?? ''))
    response.end(url.pathname === '/items' ? '' : JSON.stringify({ hits: found.map((text) => ({ text })) }))
  })
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  const http = {
    name: 'http',
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    headers: { 'x-key': 'of $group' },
    store: { path: '/items', body: { text: '$text' } },
    search: { method: 'GET', path: '/find?q=$url:question&n=$limit' },
    results: 'hits.*.text',
  }
  const store = await describedPeer(described(http)).open('x')
  const stored = ['red beans', 'green peas'].map((text, index) => ({ id: `m${index}`, text, input: {} }))
  await store.store(stored)
  expect(texts).toEqual(['red beans', 'green peas'])
  expect(await store.search('green peas', 5)).toEqual(['m1'])
  expect(new Set(asked)).toEqual(new Set(['of x']))
  const failing = await describedPeer(described({ ...http, search: { path: '/fails' } })).open('x')
  await expect(failing.search('a', 1)).rejects.toThrow('POST /fails answered 500')
})

it('a file that describes no server is refused, and so is an unknown name', () => {
  expect(() => openPeers([described({ name: 'a' })], COLLECTION)).toThrow('does not say "store"')
  const { command: _, ...neither } = MCP
  expect(() => openPeers([described(neither)], COLLECTION)).toThrow('neither a "command" (MCP) nor a "url"')
  expect(() => openPeers(['pgvektor'], COLLECTION)).toThrow(
    '--peers takes daybook, daybook-native, daybook-mcp, pgvector, or the path',
  )
})

it('peers stand side by side in the report', async () => {
  const files = ['first', 'second'].map((name) => {
    const file = join(folder, `${name}.json`)
    writeFileSync(file, JSON.stringify({ ...MCP, name }))
    return file
  })
  const methods = await evaluatePeers(openPeers(files, COLLECTION), COLLECTION, () => {})
  const report = {
    version: 1 as const,
    data: 'two',
    at: '2026-01-01T00:00:00.000Z',
    commit: null,
    daybook: 'peers',
    groups: 2,
    memories: 4,
    methods,
  }
  expect(printReport(report)).toMatch(/search p50.*stored\/s\nfirst +1\.000.* ms.*\nsecond +1\.000/u)
  const [json = ''] = writeReport(folder, report, [])
  expect(readReport(json)).toEqual(report)
})
