import { type Database, openDatabase, serverAddress } from '@daybook/postgres/connect'
import { pause } from '@daybook/runtime/backoff'
import { sql } from 'kysely'
import { checkApi, type Shown } from '../crash/check-api.ts'
import { checkProject, defaultProject } from '../crash/check-database.ts'
import { startClients } from '../crash/client.ts'
import { createLedger, type Ledger } from '../crash/ledger.ts'
import { HANGS_MS } from '../support/child-process.ts'
import { createRandom, derivedSeed, type Random } from '../support/random.ts'
import { checkTypesenseIndex } from './check-typesense-index.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { FAULTS, type Fault } from './faults.ts'
import type { ServiceName } from './service-process.ts'
import { type Subscriber, startSubscriber } from './subscriber.ts'
import { typesenseFaults } from './typesense-faults.ts'

/** The options of a chaos run. */
export interface ChaosRunOptions {
  readonly rounds: number
  /** Decides who writes what, which faults hit, and when. */
  readonly seed: number
  /** As of a cluster. */
  readonly alone?: readonly ServiceName[]
  /** The embedder of one replica of each projector. Default `none`. */
  readonly embedder?: 'minilm' | 'none'
  /** Only faults with this in their names. Default all. */
  readonly only?: string
  /** Called with one line per round. */
  readonly report?: (line: string) => void
}

/** The result of a chaos run. */
export interface ChaosRun {
  readonly rounds: number
  readonly acknowledged: number
  /**
   * The violations found, in words; empty if there are none. The run ends with the first round that finds
   * one.
   */
  readonly differences: readonly string[]
  /** Where logs and data folders are kept after a failure; null without one. */
  readonly folder: string | null
}

const CLIENTS = 3
const CATCH_UP_MS = HANGS_MS
/**
 * How long embedding may take, in milliseconds. MiniLM embeds a thousand texts in ten seconds on an idle
 * core.
 */
const EMBEDDED_MS = 300_000

/**
 * Runs rounds against a cluster: clients write through both gateways while one or two faults hit. When
 * everything has healed, each round checks the cluster's promises. Acknowledged writes are in the journal,
 * and sequences have no gaps. Both projections equal the fold of the journal, with nothing applied twice or
 * parked. Subscribers that continued with `after` got every sequence once.
 */
export async function runChaosRounds(options: ChaosRunOptions): Promise<ChaosRun> {
  const { rounds, seed, alone = [], embedder = 'none', only = '', report = () => {} } = options
  const cluster = await startCluster({ embedder, embedderOf: 'some', alone })
  const faults = [...FAULTS, ...typesenseFaults(cluster.typesense)].filter((fault) =>
    fault.name.includes(only),
  )
  const ledger = createLedger()
  const subscriber = startSubscriber(cluster.gatewayUrls, cluster.apiKey)
  const differences: string[] = []
  let round = 0
  try {
    while (round < rounds && differences.length === 0) {
      round += 1
      const started = Date.now()
      const line = await oneRound({ cluster, ledger, subscriber, faults, seed, round, embedder, differences })
      const seconds = ((Date.now() - started) / 1000).toFixed(1)
      report(`round ${round}: ${line}; ${seconds} s; ${differences.length === 0 ? 'ok' : 'FAILED'}`)
    }
  } finally {
    await subscriber.stop()
    await cluster.stop({ keepFolder: differences.length > 0 })
  }
  return {
    rounds: round,
    acknowledged: ledger.acknowledgements.length,
    differences,
    folder: differences.length > 0 ? cluster.folder : null,
  }
}

interface Round {
  readonly cluster: Cluster
  readonly ledger: Ledger
  readonly subscriber: Subscriber
  readonly faults: readonly Fault[]
  readonly seed: number
  readonly round: number
  readonly embedder: string
  readonly differences: string[]
}

/** Runs one round. @returns what happened, for people; violations go to `differences` */
async function oneRound({
  cluster,
  ledger,
  subscriber,
  faults,
  seed,
  round,
  embedder,
  differences,
}: Round): Promise<string> {
  const random = createRandom(derivedSeed(seed, round))
  const chosen = chooseFaults(faults, random)
  const from = ledger.acknowledgements.length
  const retriedBefore = ledger.retried
  const lines: string[] = []
  const clients = startClients({ api: cluster.api, ledger, clients: CLIENTS, seed, round })
  try {
    await Promise.all(
      chosen.map(async ({ fault, after, random: own }) => {
        await pause(after)
        const details = await fault.inflict(cluster, own)
        lines.push(`${fault.name}${details === '' ? '' : ` (${details})`} after ${after} ms`)
      }),
    )
    await pause(random.between(0, 500))
  } catch (error) {
    differences.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
  } finally {
    differences.push(...(await clients.stop()))
  }
  if (differences.length === 0)
    differences.push(...(await check(cluster, ledger, subscriber, from, embedder)))
  return [
    lines.join(' + ') || chosen.map(({ fault }) => fault.name).join(' + '),
    `${ledger.acknowledgements.length - from} acknowledged`,
    `${ledger.retried - retriedBefore} tried again`,
    `head ${ledger.eventIds.length}`,
    `subscriber in its connection ${subscriber.connections}`,
  ].join(', ')
}

/**
 * Chooses one fault, or two overlapping ones with different targets. Each has its own randomness, as they run
 * in parallel.
 */
function chooseFaults(faults: readonly Fault[], random: Random) {
  const first = random.oneOf(faults)
  const second = random.oneOf(faults)
  const chosen = first.to === second.to || random.chance(0.4) ? [first] : [first, second]
  return chosen.map((fault) => ({
    fault,
    after: random.between(50, 1_500),
    random: createRandom(random.between(1, 1_000_000)),
  }))
}

async function check(
  cluster: Cluster,
  ledger: Ledger,
  subscriber: Subscriber,
  from: number,
  embedder: string,
): Promise<string[]> {
  const acknowledgements = ledger.acknowledgements.slice(from)
  const sampled = [...new Set(acknowledgements.map((one) => one.memoryId))].slice(0, 50)
  const db = openDatabase(serverAddress(cluster.postgres.url))
  try {
    const shown: Shown = await checkApi(cluster.api, acknowledgements, sampled)
    const scope = await defaultProject(db)
    if (embedder !== 'none') await untilEmbedded(db)
    return [
      ...shown.differences,
      ...(await checkProject(scope, ledger, shown)),
      ...(await checkTypesenseIndex(cluster.typesense, scope)),
      ...(await checkSubscriber(subscriber, shown.head)),
    ]
  } catch (error) {
    return [error instanceof Error ? (error.stack ?? error.message) : String(error)]
  } finally {
    await db.destroy()
  }
}

/** Waits for all vectors, so that none are written while the documents are compared. */
async function untilEmbedded(db: Database): Promise<void> {
  for (const deadline = Date.now() + EMBEDDED_MS; Date.now() < deadline; await pause(250)) {
    const { rows } = await sql<{ open: number }>`
      select (select count(*) from embeddings where embedded_at is null) + (select count(*) from typesense_pending_vectors)
        as open`.execute(db)
    if (rows[0]?.open === 0) return
  }
  throw new Error(`not every text had its vector in both projections within ${EMBEDDED_MS} ms`)
}

async function checkSubscriber(subscriber: Subscriber, head: number): Promise<string[]> {
  for (const deadline = Date.now() + CATCH_UP_MS; subscriber.seen.length < head && Date.now() < deadline; )
    await pause(25)
  const problems = subscriber.problems()
  const last = subscriber.seen.at(-1) ?? 0
  return last === head ? problems : [...problems, `a subscriber has got ${last} of ${head} events`]
}
