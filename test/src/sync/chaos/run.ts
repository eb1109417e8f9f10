import { pause } from '@daybook/runtime/backoff'
import { percentile } from '../../support/percentile.ts'
import { createRandom, derivedSeed, type Random } from '../../support/random.ts'
import { check } from './check.ts'
import { inflictFaults } from './faults.ts'
import { type Counts, createLedger, type Ledger } from './ledger.ts'
import { type Network, startNetwork } from './network.ts'
import { remember } from './operations.ts'
import { followAll, handOver, loseHome } from './promotions.ts'
import { startReaders } from './readers.ts'
import { untilSettled } from './settle.ts'
import { startWriters } from './writers.ts'

/** The options of a run. */
export interface SyncChaosOptions {
  /** Decides who does what. The machine decides when exactly it happens, so no run repeats exactly. */
  readonly seed: number
  readonly rounds: number
  /** After so many milliseconds no further round begins. Default: no limit. */
  readonly forMs?: number
  /** After so many acknowledged writes no further round begins. Default: no limit. */
  readonly writes?: number
  readonly daemons: number
  /** Writers at each daemon. */
  readonly writers: number
  /** Faults at a time. Default 1. */
  readonly faults?: number
  /** How long everybody writes in a round, in milliseconds. */
  readonly roundMs: number
  /** Whether the home moves and is lost, too. */
  readonly promotions: boolean
  /** Called with one line per round. */
  readonly report?: (line: string) => void
}

/** The result of a run. */
export interface SyncChaosRun extends Counts {
  readonly rounds: number
  readonly reads: {
    readonly count: number
    readonly p50Ms: number
    readonly p99Ms: number
    readonly slowestMs: number
  }
  /** Of the round that failed, in words. Then the data folders are kept. */
  readonly differences: readonly string[]
  readonly folders: readonly string[]
}

/**
 * Runs rounds: everybody writes and reads while ways break and daemons die; a third is offline all the time. Then all is
 * mended, and when nothing waits any more, all must be the same, and have everything.
 */
export async function runSyncChaos(options: SyncChaosOptions): Promise<SyncChaosRun> {
  const { seed, rounds, forMs = Number.POSITIVE_INFINITY, writes = Number.POSITIVE_INFINITY } = options
  const { report = () => {} } = options
  const ledger = createLedger()
  const begun = Date.now()
  const network = await startNetwork(options.daemons)
  let differences: string[] = []
  let round = 0
  try {
    await firstMemory(network)
    while (
      round < rounds &&
      Date.now() - begun < forMs &&
      ledger.counts.acknowledged < writes &&
      differences.length === 0
    ) {
      round += 1
      const random = createRandom(derivedSeed(seed, round))
      const started = Date.now()
      const what = await oneRound(network, ledger, random, { ...options, round })
      const quiet = Date.now()
      const missing = await untilSettled(network)
      const settledMs = Date.now() - quiet
      differences = [...missing, ...(await check(network, ledger, random))]
      await followAll(network)
      const { acknowledged, offline, conflicts } = ledger.counts
      report(
        `round ${round}: ${what}; home ${network.home}; ${acknowledged} acknowledged by now, ${offline} of them offline, ${conflicts} conflicts; ${seconds(Date.now() - started)} s, of which ${seconds(settledMs)} s until settled; ${differences.length === 0 ? 'ok' : 'FAILED'}`,
      )
    }
  } catch (error) {
    differences = [error instanceof Error ? (error.stack ?? error.message) : String(error), ...differences]
  }
  const failed = differences.length > 0
  await network.stop(failed)
  return {
    ...ledger.counts,
    rounds: round,
    reads: summary(ledger.readMs),
    differences,
    folders: failed ? network.nodes.map(({ daemon }) => daemon.dataDir) : [],
  }
}

const summary = (ms: readonly number[]): SyncChaosRun['reads'] => ({
  count: ms.length,
  p50Ms: percentile(ms, 0.5),
  p99Ms: percentile(ms, 0.99),
  slowestMs: percentile(ms, 1),
})

/** All have something of one journal: a home that has nothing of a copy is taken for another one. */
async function firstMemory(network: Network): Promise<void> {
  const input = {
    content: { note: { text: 'the first' } },
    metadata: { mark: 'first' },
    idempotencyKey: null,
  }
  await network.nodes[network.home]?.daemon.graphql(remember(input).request)
  const missing = await untilSettled(network)
  if (missing.length > 0) throw new Error(missing.join('\n'))
}

const seconds = (ms: number): string => (ms / 1_000).toFixed(1)

async function oneRound(
  network: Network,
  ledger: Ledger,
  random: Random,
  { seed, round, writers, roundMs, promotions, faults = 1 }: SyncChaosOptions & { readonly round: number },
): Promise<string> {
  const followers = network.nodes.map(({ index }) => index).filter((index) => index !== network.home)
  const away = followers.filter(() => random.chance(1 / 3))
  const offlineWith = network.home
  for (const index of away) {
    ledger.counts.partitions += 1
    network.way(index, offlineWith).route(null)
  }
  const writing = startWriters(network, ledger, { seed, round, each: writers })
  const reading = startReaders(network, ledger, { seed, round })
  const choice = promotions ? random.next() : 1
  let promotion = 'no promotion'
  let finishHandOver: (() => Promise<void>) | undefined
  const fork = () => createRandom(random.between(1, 1_000_000))
  const other = fork()
  try {
    // Of those that are away only the processes may suffer: their way stays cut.
    const victims = network.nodes.map(({ index }) => index).filter((index) => !away.includes(index))
    await Promise.all([
      ...Array.from({ length: faults }, () =>
        inflictFaults(network, ledger, fork(), { victims, forMs: roundMs }),
      ),
      (async () => {
        await pause(random.between(0, roundMs / 2))
        if (choice < 0.25) {
          const { said, finish } = await handOver(network, ledger, other, away)
          promotion = said
          finishHandOver = finish
        } else if (choice < 0.5) promotion = await loseHome(network, ledger, other)
      })(),
    ])
  } finally {
    for (const { index } of network.nodes)
      for (const { index: to } of network.nodes) if (index !== to) network.mend(index, to)
    await finishHandOver?.()
    await writing.stop()
    await reading.stop()
  }
  return `${away.length} offline, ${promotion}`
}
