import { loadavg } from 'node:os'
import type { Collection } from '../eval/collection.ts'
import type { Peer } from '../eval/peers/peer.ts'
import { toPeerMemory } from '../eval/peers/plain-text.ts'
import type { Contestant } from './contestants.ts'
import { FAULT_GROUP, measureFaults } from './faults.ts'
import { embedOnce, type KnownVectors } from './known-vectors.ts'
import { measureQuality } from './quality.ts'
import type { PeerResults, Results } from './results.ts'
import { generatedMemories, measureScale, SCALE_GROUP } from './scale.ts'
import { peerUsage, type Usage } from './usage.ts'

/** How much is measured. */
export interface ContestOptions {
  readonly collections: readonly Collection[]
  readonly contestants: readonly Contestant[]
  /** How many memories there are when searches are timed, rising. None leaves the speed out. */
  readonly sizes: readonly number[]
  /** How many searches are timed at each size. */
  readonly searches: number
  /** How long a memory that was just stored may not be found. Default 3,000 ms. */
  readonly giveUpMs?: number
  /** How often each is killed. 0 leaves the faults out. */
  readonly kills: number
  readonly report: (line: string) => void
  /** Called after each peer with all results until then. */
  readonly measured?: (results: ContestResults) => void
}

/** What is known of those that take part. */
export type ContestResults = Pick<Results, 'peers' | 'absent'>

/**
 * Measures all peers that can take part, one after another, each part with a peer that begins empty.
 * @returns their results, and the others with the reason: one that fails is left out, and the page says so
 */
export async function runContest(options: ContestOptions): Promise<ContestResults> {
  const { collections, contestants, sizes, report, measured = () => {} } = options
  const groups = collections.flatMap((collection) => collection.groups)
  const known = await embedOnce(
    [
      ...groups.flatMap(({ memories }) => memories.map(toPeerMemory)),
      ...generatedMemories(sizes.at(-1) ?? 0).slice(sizes[0]),
    ],
    report,
  )
  const [peers, absent]: [PeerResults[], ContestResults['absent'][number][]] = [[], []]
  const stores = groups.map((group) => group.name)
  for (const contestant of contestants) {
    const { name } = contestant
    const leaveOut = (why: string) => {
      absent.push({ name, why })
      report(`${name} is left out: ${why}`)
    }
    const why = contestant.absent()
    if (why === null)
      try {
        peers.push(await measurePeer(contestant, stores, known, options))
      } catch (error) {
        console.error(error)
        leaveOut(`it failed: ${error instanceof Error ? error.message : String(error)}`)
      }
    else leaveOut(why)
    measured({ peers, absent })
  }
  return { peers, absent }
}

async function measurePeer(
  contestant: Contestant,
  groups: readonly string[],
  known: KnownVectors,
  { collections, sizes, searches, giveUpMs, kills, report }: ContestOptions,
): Promise<PeerResults> {
  const { name } = contestant
  const part = async <Result>(
    what: string,
    stores: readonly string[],
    measure: (peer: Peer, usage: Usage) => Promise<Result>,
  ): Promise<Result> => {
    const startedAt = performance.now()
    const usage = peerUsage()
    const peer = await contestant.open(stores)
    try {
      return await measure(peer, usage)
    } finally {
      await peer.close()
      report(`${name}: ${what}, ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
    }
  }
  const quality = await part('what it finds', groups, (peer) => measureQuality(peer, collections, known))
  const speed =
    sizes.length === 0
      ? null
      : await part('speed', [SCALE_GROUP], (peer, usage) =>
          measureScale(peer, { sizes, searches, giveUpMs, usage, known }),
        )
  const load = Math.round((loadavg()[0] ?? 0) * 10) / 10
  const faults =
    kills === 0
      ? null
      : await part('faults', [FAULT_GROUP], (peer, usage) => measureFaults(peer, kills, usage))
  return {
    name,
    version: contestant.version(),
    quality,
    findable: speed?.findable ?? null,
    scales: speed?.scales ?? [],
    load,
    faults,
  }
}
