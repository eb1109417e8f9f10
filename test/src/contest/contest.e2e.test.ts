import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Collection } from '../eval/collection.ts'
import { runContest } from './contest.ts'
import { CONTESTANTS } from './contestants.ts'
import { share } from './page/tables.ts'
import { writePage } from './page/write-page.ts'
import type { Results } from './results.ts'

const note = (id: string, context: string, text: string) => ({
  id,
  input: { context, content: { note: { text } } },
})
const TINY: Collection = {
  name: 'tiny',
  groups: [
    {
      name: 'tiny',
      memories: [
        note('cat', 'home', 'Our cat sleeps on the warm radiator.'),
        note('bins', 'home', 'The bins are collected on Thursday mornings.'),
        note('tax', 'office', 'The invoice of March was paid twice.'),
      ],
      questions: [
        {
          id: '1',
          text: 'when are the bins collected?',
          category: 'words',
          relevant: new Map([['bins', 1]]),
        },
        { id: '2', text: 'feline resting place', category: 'meaning', relevant: new Map([['cat', 1]]) },
      ],
      unanswerable: [{ id: '3', text: 'quantum chromodynamics' }],
    },
  ],
}

/* Peers that need no package of their own: one that keeps files, and one that has vectors and keeps nothing. */
let results: Results
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-contest-page-'))
  const run = { collections: [TINY], sizes: [20, 40], searches: 5, giveUpMs: 300, report: () => {} }
  const contestants = (...names: readonly string[]) => CONTESTANTS.filter(({ name }) => names.includes(name))
  const files = await runContest({ ...run, contestants: contestants('markdown'), kills: 1 })
  const memory = await runContest({ ...run, contestants: contestants('langgraph'), kills: 0 })
  results = {
    version: 1,
    options: ['--quick'],
    at: '2026-01-01T00:00:00.000Z',
    minutes: 1,
    commit: null,
    machine: { processor: 'one', cores: 2, memoryGb: 8, system: 'Linux', node: '20', load: [0, 1] },
    collections: [{ name: 'tiny', memories: 3, questions: 2, neverTold: 1 }],
    peers: [...files.peers, ...memory.peers],
    absent: [{ name: 'sqlite', why: 'not installed' }],
    transfer: [],
  }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const peer = (name: string) => results.peers.find((one) => one.name === name)

test('what is found by words and by meaning is told apart', () => {
  const [words] = peer('markdown')?.quality ?? []
  expect(words?.kinds['words']?.recall).toEqual([1, 1, 1])
  expect(words?.kinds['meaning']?.recall).toEqual([0, 0, 0])
  expect(words?.nothing).toBe(1)
  const [vectors] = peer('langgraph')?.quality ?? []
  expect(vectors?.all.recall[0]).toBe(1)
  expect(vectors?.nothing).toBe(0)
  expect(vectors?.bytes).toBeGreaterThan(words?.bytes ?? 0)
})

test('times, room and processor time are measured of the peer’s own processes', () => {
  for (const { scales } of results.peers)
    for (const { search, memoryMb, searchCpuMs } of scales) {
      expect(search.p50).toBeGreaterThan(0)
      expect(memoryMb).toBeGreaterThan(20)
      expect(searchCpuMs).toBeGreaterThanOrEqual(0)
    }
  expect(peer('markdown')?.scales[1]?.diskKb).toBeGreaterThan(0)
  expect(peer('langgraph')?.scales[1]?.diskKb).toBeNull()
  expect(peer('markdown')?.findable?.byMeaning).toEqual({ found: 0, of: 10, times: null })
  expect(peer('langgraph')?.findable?.byMeaning.times?.p50).toBeGreaterThan(0)
})

test('a kill loses no file', () => {
  expect(peer('markdown')?.faults).toMatchObject({
    together: { acknowledged: 200, lost: 0, doubled: 0 },
    kills: { lost: 0, doubled: 0, rounds: 1 },
    deleted: { memories: 10, foundAgain: 0 },
  })
})

test('the page says what the raw results say, and names who is missing', () => {
  const [markdown = '', html = '', json = ''] = writePage(folder, results).map((file) =>
    readFileSync(file, 'utf8'),
  )
  expect(JSON.parse(json)).toEqual(results)
  const rows = markdown.split('\n').filter((line) => line.startsWith('| '))
  const cells = (name: string) =>
    rows
      .filter((row) => row.startsWith(`| ${name} |`))
      .map((row) =>
        row
          .replaceAll('*', '')
          .split('|')
          .slice(2, -1)
          .map((cell) => cell.trim()),
      )
  for (const { name, quality, faults } of results.peers) {
    const [recall, depth] = cells(name)
    const all = quality[0]?.all
    expect(recall).toEqual([share(all?.recall[1]), share(all?.recall[1])])
    expect(depth).toEqual(
      [...(all?.recall ?? []), ...(all?.sessions ?? []), all?.ndcg10, all?.mrr].map((value) => share(value)),
    )
    if (faults !== null) expect(cells(name).flat()).toContain(`0 of ${faults.together.acknowledged}`)
  }
  expect(cells('sqlite')).toEqual([['left out', 'not installed']])
  expect(markdown).toContain('Daybook took no part')
  expect(html.match(/<svg/gu)).toHaveLength(2)
  expect(html).not.toMatch(/src=|<link|<script/u)
})
