import { percentile } from '../../support/percentile.ts'
import { HITS } from '../ask.ts'
import type { Collection, Group } from '../collection.ts'
import { type MethodReport, reportMethod, reportQuestion } from '../report/report.ts'
import { measureFindable } from './measure-findable.ts'
import type { Peer, PeerMemory, PeerStore } from './peer.ts'
import { toPeerMemory } from './plain-text.ts'

const BATCH = 100

/**
 * Gives every peer the same memories, asks it the same questions, one at a time, and measures how soon after
 * a write a memory is found. The peers run one after another, so that they do not disturb each other.
 */
export async function evaluatePeers(
  peers: readonly (() => Promise<Peer>)[],
  { groups }: Collection,
  report: (line: string) => void,
): Promise<MethodReport[]> {
  const reports: MethodReport[] = []
  for (const open of peers) {
    const peer = await open()
    try {
      reports.push(await evaluatePeer(peer, groups, report))
    } finally {
      await peer.close()
    }
  }
  return reports
}

async function evaluatePeer(
  peer: Peer,
  groups: readonly Group[],
  report: (line: string) => void,
): Promise<MethodReport> {
  const questions = []
  let [findableMs, storedMs, stored]: [readonly number[] | null, number, number] = [null, 0, 0]
  for (const [index, group] of groups.entries()) {
    report(`${peer.name}: ${group.name}, ${group.memories.length} memories`)
    const store = await peer.open(group.name)
    try {
      storedMs += await storeAll(store, group)
      stored += group.memories.length
      await store.search('warm up', HITS)
      for (const question of group.questions) {
        const started = performance.now()
        const found = await store.search(question.text, HITS)
        questions.push(reportQuestion(question, { found, ms: performance.now() - started }))
      }
      // Last, so that what it stores is in nobody's way.
      if (index === groups.length - 1) findableMs = await measureFindable(store)
    } finally {
      await store.close()
    }
  }
  return {
    ...reportMethod(peer.name, questions),
    peer: {
      findableMs: findableMs === null ? null : percentiles(findableMs),
      storedPerSecond: Math.round((stored / storedMs) * 1e4) / 10,
    },
  }
}

/** @returns the milliseconds that storing took, until everything could be found */
async function storeAll(store: PeerStore, { memories }: Group): Promise<number> {
  const started = performance.now()
  await storeInBatches(store, memories.map(toPeerMemory))
  await store.settled?.()
  return performance.now() - started
}

/** Stores memories a hundred at a time, in order. */
export async function storeInBatches(store: PeerStore, memories: readonly PeerMemory[]): Promise<void> {
  for (let from = 0; from < memories.length; from += BATCH)
    await store.store(memories.slice(from, from + BATCH))
}

const percentiles = (times: readonly number[]) => ({
  p50: percentile(times, 0.5),
  p95: percentile(times, 0.95),
})
