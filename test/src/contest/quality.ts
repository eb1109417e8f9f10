import { HITS } from '../eval/ask.ts'
import type { Collection } from '../eval/collection.ts'
import { mean } from '../eval/metrics.ts'
import { storeInBatches } from '../eval/peers/evaluate-peers.ts'
import type { Peer, PeerStore } from '../eval/peers/peer.ts'
import { toPeerMemory } from '../eval/peers/plain-text.ts'
import { type KnownVectors, withVectors } from './known-vectors.ts'
import { type Answered, meansByKind, rounded } from './measures.ts'
import type { QualityResult } from './results.ts'

/** How many hits an agent asks for: the default of most peers. */
const AN_ANSWER = 10
/** Answers are weighed for so many questions of a collection. */
const WEIGHED = 30

/**
 * Stores all collections, a store for each group, and asks their questions, one at a time.
 * @param known vectors, so that no peer but Daybook embeds the same texts again
 */
export async function measureQuality(
  peer: Peer,
  collections: readonly Collection[],
  known: KnownVectors,
): Promise<QualityResult[]> {
  const stores = new Map<string, PeerStore>()
  for (const { groups } of collections)
    for (const { name, memories } of groups) {
      const store = await peer.open(name)
      stores.set(name, store)
      await storeInBatches(store, withVectors(known, memories.map(toPeerMemory)))
    }
  for (const store of stores.values()) await store.settled?.()
  const results: QualityResult[] = []
  for (const collection of collections) results.push(await ask(collection, stores))
  for (const store of stores.values()) await store.close()
  return results
}

async function ask(
  { name, groups }: Collection,
  stores: ReadonlyMap<string, PeerStore>,
): Promise<QualityResult> {
  const answers: Answered[] = []
  const nothing: boolean[] = []
  const bytes: number[] = []
  for (const group of groups) {
    const store = stores.get(group.name)
    if (store === undefined) throw new Error(`${group.name} was not stored`)
    for (const question of group.questions) {
      answers.push({ group, question, found: await store.search(question.text, HITS) })
      if (bytes.length < WEIGHED) bytes.push((await store.answerBytes?.(question.text, AN_ANSWER)) ?? 0)
    }
    for (const { text } of group.unanswerable ?? [])
      nothing.push((await store.search(text, AN_ANSWER)).length === 0)
  }
  return {
    collection: name,
    ...meansByKind(answers),
    nothing: nothing.length === 0 ? null : rounded(nothing.filter(Boolean).length / nothing.length),
    bytes: Math.round(mean(bytes)),
  }
}
