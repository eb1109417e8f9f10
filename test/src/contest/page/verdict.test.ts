import { expect, it } from 'vitest'
import type { Means } from '../measures.ts'
import type { PeerResults, Results } from '../results.ts'
import { verdict } from './verdict.ts'

const means = (recall: number): Means => ({
  questions: 10,
  recall: [recall, recall, recall],
  sessions: null,
  ndcg10: recall,
  mrr: recall,
})
const peer = (name: string, recall: number, p50: number, lost: number): PeerResults => ({
  name,
  version: '1',
  quality: [{ collection: 'talk', all: means(recall), kinds: {}, nothing: null, bytes: 1 }],
  findable: null,
  scales: [
    {
      memories: 1000,
      search: { p50, p95: p50 },
      searchCpuMs: 1,
      memoryMb: 1,
      diskKb: null,
      storedPerSecond: null,
      storeCpuMs: null,
    },
  ],
  load: 1,
  faults: {
    together: { acknowledged: 10, lost, doubled: 0 },
    kills: { acknowledged: 10, lost: 0, doubled: 0, rounds: 1 },
    deleted: null,
  },
})
const said = (...peers: readonly PeerResults[]) =>
  verdict({
    peers,
    collections: [{ name: 'talk', memories: 1, questions: 1, neverTold: 0 }],
  } as unknown as Results)

it('says who is first, also where it is not Daybook, and by how much', () => {
  expect(said(peer('daybook', 0.8, 10, 0), peer('other', 0.7, 20, 0))[0]).toContain(
    'Daybook is first with .800',
  )
  expect(said(peer('daybook', 0.8, 10, 0), peer('other', 0.8, 20, 0))[0]).toContain(
    'Daybook and other are first',
  )
  expect(said(peer('daybook', 0.7, 10, 0), peer('other', 0.8, 20, 0))[0]).toContain(
    '**other is first** with .800, .100 before Daybook',
  )
})

it('names those that lost writes', () => {
  expect(said(peer('daybook', 0.8, 10, 2), peer('other', 0.7, 20, 5))[1]).toContain(
    'Daybook lost 2. Lost some: daybook (2), other (5).',
  )
})

it('compares the speed with the fastest that finds nearly as much', () => {
  const [, , speed] = said(peer('daybook', 0.8, 20, 0), peer('fast', 0.1, 1, 0), peer('good', 0.75, 10, 0))
  expect(speed).toContain('2.00 × as long as good')
  expect(speed).toContain('**beyond** the goal of 1.5')
})
