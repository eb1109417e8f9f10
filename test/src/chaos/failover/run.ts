import { openDatabase, serverAddress } from '@daybook/postgres/connect'
import { startFailoverPair } from '@daybook/postgres/testing/failover-pair'
import { pause } from '@daybook/runtime/backoff'
import { defaultProject } from '../../crash/check-database.ts'
import { createRandom, derivedSeed } from '../../support/random.ts'
import { startClusterWith } from '../cluster.ts'
import { startClusterTypesense } from '../cluster-typesense.ts'
import type { ServiceName } from '../service-process.ts'
import { checkFailover } from './check-failover.ts'
import { startFollower } from './follower.ts'
import { startWriters } from './writers.ts'

/** The options of a failover run. */
export interface FailoverRunOptions {
  readonly rounds: number
  /** Decides who writes what, and when replication is cut and the primary lost. */
  readonly seed: number
  /** Whether there is NATS; without it each process has its own bus. */
  readonly withNats: boolean
  /** As of a cluster. */
  readonly alone?: readonly ServiceName[]
  /** Called with one line per round. */
  readonly report?: (line: string) => void
}

/** The result of a failover run. */
export interface FailoverRun {
  readonly rounds: number
  readonly acknowledged: number
  /** Acknowledged writes that were lost with the journal's end. */
  readonly lost: number
  /** How often a subscriber was told that its copy differs from the journal. */
  readonly diverged: number
  /** The violations found, in words; the run ends with the first round that finds one. */
  readonly differences: readonly string[]
  /** Where logs and data folders are kept after a failure; null without one. */
  readonly folder: string | null
}

/**
 * Loses the journal's end repeatedly while every process lives on: an asynchronous standby is cut off,
 * clients write on, the primary crashes and the standby takes its place. Events that had reached the standby,
 * and those written since, must be there. Nobody may go on from events that the journal does not have:
 * projections become equal to the journal by themselves, and subscribers and holders of receipts are told.
 */
export async function runFailoverRounds(options: FailoverRunOptions): Promise<FailoverRun> {
  const { rounds, seed, withNats, alone = [], report = () => {} } = options
  const cluster = await startClusterWith(
    { embedder: 'none', embedderOf: 'some', alone, withNats },
    {
      startTypesense: startClusterTypesense,
      startPostgres: startFailoverPair,
    },
  )
  const follower = startFollower(cluster.gatewayUrls, cluster.apiKey)
  const differences: string[] = []
  let [round, acknowledged, lost] = [0, 0, 0]
  try {
    while (round < rounds && differences.length === 0) {
      round += 1
      const random = createRandom(derivedSeed(seed, round))
      const times = {
        before: random.between(200, 1_000),
        tail: random.between(50, 1_500),
        after: random.between(50, 1_500),
      }
      const writers = startWriters({ api: cluster.api, random, name: `r${round}` })
      await pause(times.before)
      const cutAt = Date.now()
      await cluster.postgres.cutReplication()
      const isCutAt = Date.now()
      // Something is lost, however slowly they write.
      while (!writers.receipts.some(({ sentAt }) => sentAt > isCutAt)) await pause(20)
      await pause(times.tail)
      await cluster.postgres.failOver()
      const overAt = Date.now()
      await pause(times.after)
      await writers.stop()
      differences.push(...writers.complaints)
      const db = openDatabase(serverAddress(cluster.postgres.url))
      try {
        const checked = await checkFailover(cluster, await defaultProject(db), {
          receipts: writers.receipts,
          failover: { cutAt, overAt },
          follower,
        })
        differences.push(...checked.differences)
        acknowledged += writers.receipts.length
        lost += checked.lost
        report(
          `failover ${round}${withNats ? '' : ', without NATS'}: ${writers.receipts.length} acknowledged, ${checked.lost} lost with the tail, healed ${checked.healedMs} ms after the last write; ${differences.length === 0 ? 'ok' : 'FAILED'}`,
        )
      } finally {
        await db.destroy()
      }
    }
  } catch (error) {
    differences.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
  } finally {
    await follower.stop()
    await cluster.stop({ keepFolder: differences.length > 0 })
  }
  return {
    rounds: round,
    acknowledged,
    lost,
    diverged: follower.diverged,
    differences,
    folder: differences.length > 0 ? cluster.folder : null,
  }
}
