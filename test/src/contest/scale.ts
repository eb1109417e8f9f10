import { sentence } from '../../bench/generated-texts.ts'
import { loadCollection } from '../eval/formats/load.ts'
import { storeInBatches } from '../eval/peers/evaluate-peers.ts'
import type { Peer, PeerMemory, PeerStore } from '../eval/peers/peer.ts'
import { toPeerMemory } from '../eval/peers/plain-text.ts'
import { percentile } from '../support/percentile.ts'
import { createRandom } from '../support/random.ts'
import { bundled } from './collections.ts'
import { type KnownVectors, withVectors } from './known-vectors.ts'
import type { FindableResult, FoundTimes, ScaleResult, Times } from './results.ts'
import { diskBytes, type Usage } from './usage.ts'

/** What a peer of this many memories is asked. */
export interface ScaleOptions {
  /** How many memories there are when it is asked, rising. The first are embedded by the peer, the others come with their vectors. */
  readonly sizes: readonly number[]
  readonly searches: number
  /** How long a memory that was just stored may not be found, in milliseconds. Default 3,000. */
  readonly giveUpMs?: number | undefined
  readonly usage: Usage
  readonly known: KnownVectors
}

const LIMIT = 10
/** Searches that are not counted: caches fill, code is compiled. */
const WARM_UP = 20
/** A slow peer is asked as often as it answers in this time, but ten times at least. */
const PATIENCE_MS = 60_000

/** The group whose store grows. */
export const SCALE_GROUP = 'scale'

/** Sentences of words of the bundled memories, drawn as often as they are there: a language's frequencies, and words that the model knows. */
function drawnSentences(seed: number): (least: number, most: number) => string {
  const random = createRandom(seed)
  const words = ['bundled', 'daily/seen'].flatMap((path) =>
    loadCollection(bundled(path)).groups.flatMap(({ memories }) =>
      memories.flatMap((memory) => toPeerMemory(memory).text.split(/\s+/u)),
    ),
  )
  return (least, most) => sentence(random, () => random.oneOf(words), least, most)
}

/** Notes of 8 to 24 words, the same in every run. */
export function generatedMemories(count: number): PeerMemory[] {
  const draw = drawnSentences(7)
  return Array.from({ length: count }, (_, index) => {
    const text = draw(8, 24)
    return { id: `scale-${index}`, text, input: { content: { note: { text } } } }
  })
}

/** Fills a store in steps, and measures it at each. Between the first and the second it tells how soon a memory is found. */
export async function measureScale(
  peer: Peer,
  { sizes, searches, giveUpMs = 3_000, usage, known }: ScaleOptions,
): Promise<{ scales: ScaleResult[]; findable: FindableResult }> {
  const highest = usage.watchMemory()
  const store = await peer.open(SCALE_GROUP)
  const memories = generatedMemories(sizes.at(-1) ?? 0)
  const empty = diskBytes(peer.folders ?? [])
  const scales: ScaleResult[] = []
  let findable: FindableResult | undefined
  let stored = 0
  // Models are loaded, and the first plan is made.
  await store.store([
    { id: 'first', text: 'The first of all.', input: { content: { note: { text: 'The first of all.' } } } },
  ])
  await store.search('the first', LIMIT)
  for (const [step, size] of sizes.entries()) {
    const added = memories.slice(stored, size)
    stored = size
    const given = step === 0 ? added : withVectors(known, added)
    const [startedAt, cpu] = [performance.now(), usage.cpuSeconds()]
    await storeInBatches(store, given)
    await store.settled?.()
    const seconds = (performance.now() - startedAt) / 1000
    const storeCpu = usage.cpuSeconds() - cpu
    const embeds = step === 0
    const asked = await measureSearches(store, questionsOf(step, searches), usage)
    scales.push({
      memories: size,
      ...asked,
      memoryMb: highest(),
      diskKb: peer.folders === undefined ? null : round((diskBytes(peer.folders) - empty) / 1024 / size),
      storedPerSecond: embeds ? Math.round(added.length / seconds) : null,
      storeCpuMs: embeds ? round((storeCpu * 1000) / added.length) : null,
    })
    findable ??= await measureFindable(store, giveUpMs)
  }
  await store.close()
  if (findable === undefined) throw new Error('there are no sizes')
  return { scales, findable }
}

/** Questions of 4 to 12 words, others at every step: peers remember the vectors of those that were asked. */
function questionsOf(step: number, searches: number): string[] {
  const draw = drawnSentences(100 + step)
  return Array.from({ length: searches + WARM_UP }, () => draw(4, 12))
}

async function measureSearches(store: PeerStore, asked: readonly string[], usage: Usage) {
  for (const question of asked.slice(0, WARM_UP)) await store.search(question, LIMIT)
  const times: number[] = []
  const cpu = usage.cpuSeconds()
  const began = performance.now()
  for (const question of asked.slice(WARM_UP)) {
    const startedAt = performance.now()
    await store.search(question, LIMIT)
    times.push(performance.now() - startedAt)
    if (performance.now() - began > PATIENCE_MS && times.length >= 10) break
  }
  return {
    search: percentiles(times),
    searchCpuMs: round(((usage.cpuSeconds() - cpu) * 1000) / times.length),
  }
}

/** A memory, and a question that it answers without a word in common. */
const MEANINGS = [
  ['Our cat sleeps on the warm radiator all winter.', 'feline resting place'],
  ['The router restarts itself at four in the morning.', 'wifi outage at night'],
  ['Mrs Oduya keeps three hens and swaps eggs.', 'neighbour with chickens'],
  ['The laptop is backed up each Sunday evening.', 'weekly copies of my computer data'],
  ['Invoices are paid within thirty days.', 'deadline for settling bills'],
  ['The piano tuner comes once a year.', 'musical instrument maintenance'],
  ['Copper tape round the beds keeps slugs out.', 'protecting vegetables from snails'],
  ['She is allergic to peanuts.', 'nut intolerance'],
  ['Deployments happen on Tuesdays.', 'weekday of software release'],
  ['The car needs new brake pads.', 'vehicle repair'],
] as const

async function measureFindable(store: PeerStore, giveUpMs: number): Promise<FindableResult> {
  const acknowledged: number[] = []
  const [byWords, byMeaning]: [(number | null)[], (number | null)[]] = [[], []]
  for (const [index, [meaning, question]] of MEANINGS.entries()) {
    const word = `zq${index}wordle`
    const text = `${meaning} ${word}`
    const id = `probe-${index}`
    const startedAt = performance.now()
    await store.store([{ id, text, input: { content: { note: { text } } } }])
    const now = performance.now()
    acknowledged.push(now - startedAt)
    byWords.push(await untilFound(store, word, id, now, giveUpMs))
    // A wait for nothing is not counted for the other way.
    const from = byWords.at(-1) === null ? performance.now() : now
    byMeaning.push(await untilFound(store, question, id, from, giveUpMs))
  }
  return {
    acknowledged: percentiles(acknowledged),
    byWords: foundTimes(byWords),
    byMeaning: foundTimes(byMeaning),
  }
}

async function untilFound(
  store: PeerStore,
  question: string,
  id: string,
  from: number,
  giveUpMs: number,
): Promise<number | null> {
  for (;;) {
    if ((await store.search(question, LIMIT)).includes(id)) return performance.now() - from
    if (performance.now() - from > giveUpMs) return null
  }
}

function foundTimes(all: readonly (number | null)[]): FoundTimes {
  const times = all.filter((time) => time !== null)
  return { found: times.length, of: all.length, times: times.length === 0 ? null : percentiles(times) }
}

/** In milliseconds, to tenths. */
export const percentiles = (times: readonly number[]): Times => ({
  p50: round(percentile(times, 0.5)),
  p95: round(percentile(times, 0.95)),
})

const round = (value: number) => Math.round(value * 10) / 10
