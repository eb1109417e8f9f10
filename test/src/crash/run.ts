import { pause } from '@daybook/runtime/backoff'
import { createTestDaemon, type StartOptions, type TestDaemon } from '../support/daemon.ts'
import { createRandom, derivedSeed, type Random } from '../support/random.ts'
import { checkApi } from './check-api.ts'
import { checkDatabase } from './check-database.ts'
import { startClients } from './client.ts'
import { expectCleanStop, FAULTS, type Fault, interruptFirstStart } from './faults.ts'
import { createLedger, type Ledger } from './ledger.ts'

/** The options of a crash run. */
export interface CrashRunOptions {
  readonly rounds: number
  /**
   * Decides who does what and which fault comes. The machine decides when exactly it hits, so no run repeats
   * exactly.
   */
  readonly seed: number
  /** The embedder of the rounds that have one. Default `minilm`. */
  readonly embedder?: StartOptions['embedder']
  /** Rounds on one data folder, so that its history grows. Default 8. */
  readonly roundsPerFolder?: number
  /** Only faults with this in their names. Default all. */
  readonly only?: string
  /** Goes on after a failed round, on a new data folder. Default false. */
  readonly keepGoing?: boolean
  /** Called with one line per round. */
  readonly report?: (line: string) => void
}

/** A round that found violations. */
export interface FailedRound {
  readonly round: number
  readonly fault: string
  readonly differences: readonly string[]
  /** Kept for inspection, with `daemon.log` in it. */
  readonly dataDir: string
}

/** The result of a crash run. */
export interface CrashRun {
  readonly rounds: number
  readonly acknowledged: number
  /** Requests that were repeated under their key and had been committed before. */
  readonly duplicates: number
  readonly failures: readonly FailedRound[]
}

const CLIENTS = 8
const DIFFERENCES_NAMED = 20

/**
 * Runs rounds: clients write, something is killed, everything is restarted. Then nothing acknowledged may be
 * missing, and nothing may be there twice.
 */
export async function runCrashRounds(options: CrashRunOptions): Promise<CrashRun> {
  const {
    rounds,
    seed,
    embedder = 'minilm',
    roundsPerFolder = 8,
    only = '',
    keepGoing = false,
    report = () => {},
  } = options
  const faults = FAULTS.filter((fault) => fault.name.includes(only))
  const failures: FailedRound[] = []
  let folder: Folder | null = null
  let acknowledged = 0
  let duplicates = 0
  let round = 0
  while (round < rounds) {
    round += 1
    folder ??= newFolder(createRandom(derivedSeed(seed, round, CLIENTS)))
    const { ledger, daemon } = folder
    const before = { acknowledged: ledger.acknowledgements.length, duplicates: ledger.duplicates }
    const started = Date.now()
    const { summary, fault, differences } = await oneRound(folder, { round, seed, faults, embedder })
    folder.rounds += 1
    acknowledged += ledger.acknowledgements.length - before.acknowledged
    duplicates += ledger.duplicates - before.duplicates
    const took = `${((Date.now() - started) / 1000).toFixed(1)} s`
    report(`round ${round}: ${summary}; ${took}; ${differences.length === 0 ? 'ok' : 'FAILED'}`)
    if (differences.length > 0) {
      const named = differences.slice(0, DIFFERENCES_NAMED)
      const more = differences.length - named.length
      failures.push({
        round,
        fault,
        differences: more > 0 ? [...named, `and ${more} more`] : named,
        dataDir: daemon.dataDir,
      })
      await daemon.kill()
      folder = null
      if (!keepGoing) break
    } else if (folder.rounds >= roundsPerFolder) {
      await daemon.remove()
      folder = null
    }
  }
  await folder?.daemon.remove()
  return { rounds: round, acknowledged, duplicates, failures }
}

interface Folder {
  readonly daemon: TestDaemon
  /** Whether the daemon makes its database itself. Then it is killed meanwhile. */
  readonly isEmpty: boolean
  readonly ledger: Ledger
  rounds: number
}

/** Half of the daemons make and migrate their database, which takes 5 s of CPU time; to the others it is given. */
function newFolder(random: Random): Folder {
  const isEmpty = random.chance(0.5)
  return {
    daemon: createTestDaemon(undefined, { emptyFolder: isEmpty }),
    isEmpty,
    ledger: createLedger(),
    rounds: 0,
  }
}

interface RoundResult {
  readonly summary: string
  readonly fault: string
  readonly differences: readonly string[]
}

/** When a fault hits. */
interface Moment {
  readonly name: string
  /** Waits for the moment. @param acknowledged how many results the clients have received in this round */
  come(acknowledged: () => number): Promise<void>
}

/**
 * Chooses any moment, or one shortly after an answer. Then others that were committed with it are not
 * answered yet, and the projector has just begun to write them.
 */
function someMoment(random: Random): Moment {
  if (random.chance(0.4)) {
    const delay = random.between(50, 1_500)
    return { name: `after ${delay} ms`, come: () => pause(delay) }
  }
  const results = random.between(1, 150)
  const delay = random.chance(0.5) ? 0 : random.between(1, 60)
  return {
    name: `${delay} ms after result ${results}`,
    async come(acknowledged) {
      for (const deadline = Date.now() + 5_000; acknowledged() < results && Date.now() < deadline; )
        await pause(1)
      await pause(delay)
    },
  }
}

async function oneRound(
  folder: Folder,
  {
    round,
    seed,
    faults,
    embedder,
  }: {
    round: number
    seed: number
    faults: readonly Fault[]
    embedder: NonNullable<StartOptions['embedder']>
  },
): Promise<RoundResult> {
  const random = createRandom(derivedSeed(seed, round))
  const { daemon, ledger } = folder
  // The read model needs vectors too, but a model slows the start down, so only some rounds have one.
  const start: StartOptions = { embedder: random.chance(0.3) ? embedder : 'none' }
  const fault = random.oneOf(faults)
  const moment = someMoment(random)
  const afterwards = random.between(0, 300)
  const endsByKill = random.chance(0.3)
  const from = ledger.acknowledgements.length
  const retriedBefore = ledger.retried
  let name = `${fault.name} ${moment.name}`
  let head = 0
  const differences: string[] = []
  try {
    if (folder.rounds === 0 && folder.isEmpty) await interruptFirstStart(daemon, random, start)
    await daemon.start(start)
    const clients = startClients({ api: daemon, ledger, clients: CLIENTS, seed, round })
    try {
      await moment.come(() => ledger.acknowledgements.length - from)
      const details = await fault.inflict(daemon, random, start)
      if (details !== '') name += ` (${details})`
      await pause(afterwards)
    } finally {
      differences.push(...(await clients.stop(daemon.running() ? undefined : 0)))
    }

    const acknowledgements = ledger.acknowledgements.slice(from)
    const touched = [...new Set(acknowledgements.map((one) => one.memoryId))]
    const sampled = Array.from({ length: Math.min(50, touched.length) }, () => random.oneOf(touched))
    const shown = await checkApi(daemon, acknowledgements, [...new Set(sampled)])
    head = shown.head
    differences.push(...shown.differences)
    if (endsByKill) await daemon.kill()
    else await expectCleanStop(daemon)
    differences.push(...(await checkDatabase(daemon.dataDir, ledger, shown)))
  } catch (error) {
    differences.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
    await daemon.kill()
  }
  const summary = [
    name,
    start.embedder === 'none' ? '' : 'with a model',
    `${ledger.acknowledgements.length - from} acknowledged`,
    `${ledger.retried - retriedBefore} tried again`,
    `head ${head}`,
  ]
  return { summary: summary.filter(Boolean).join(', '), fault: name, differences }
}
