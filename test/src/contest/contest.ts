import type { Collection } from '../eval/collection.ts'
import type { Peer } from '../eval/peers/peer.ts'
import { toPeerMemory } from '../eval/peers/plain-text.ts'
import type { Contestant } from './contestants.ts'
import { FAULT_GROUP, measureFaults } from './faults.ts'
import { embedOnce } from './known-vectors.ts'
import { measureQuality } from './quality.ts'
import type { PeerResults } from './results.ts'
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
  /** How often each is killed. 0 leaves the faults out. */
  readonly kills: number
  readonly report: (line: string) => void
}

/**
 * Measures all peers that can take part, one after another, each part with a peer that begins empty.
 * @throws Error if one fails: a column that is missing without a reason would hide it
 */
export async function runContest(options: ContestOptions): Promise<PeerResults[]> {
  const { collections, contestants, sizes, searches, kills, report } = options
  const groups = collections.flatMap((collection) => collection.groups)
  const known = await embedOnce(
    [
      ...groups.flatMap(({ memories }) => memories.map(toPeerMemory)),
      ...generatedMemories(sizes.at(-1) ?? 0).slice(sizes[0]),
    ],
    report,
  )
  const results: PeerResults[] = []
  for (const contestant of contestants.filter(({ absent }) => absent() === null)) {
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
      } catch (error) {
        throw new Error(`${name} failed (${what})`, { cause: error })
      } finally {
        await peer.close()
        report(`${name}: ${what}, ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
      }
    }
    const names = groups.map((group) => group.name)
    const quality = await part('what it finds', names, (peer) => measureQuality(peer, collections, known))
    const speed =
      sizes.length === 0
        ? null
        : await part('speed', [SCALE_GROUP], (peer, usage) =>
            measureScale(peer, { sizes, searches, usage, known }),
          )
    const faults =
      kills === 0
        ? null
        : await part('faults', [FAULT_GROUP], (peer, usage) => measureFaults(peer, kills, usage))
    results.push({
      name,
      version: contestant.version(),
      quality,
      findable: speed?.findable ?? null,
      scales: speed?.scales ?? [],
      faults,
    })
  }
  return results
}
