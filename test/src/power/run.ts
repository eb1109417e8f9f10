import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pause } from '@daybook/runtime/backoff'
import { checkApi } from '../crash/check-api.ts'
import { checkDatabase } from '../crash/check-database.ts'
import { startClients } from '../crash/client.ts'
import { createLedger, type Ledger } from '../crash/ledger.ts'
import { succeeded } from '../reindex/operations.ts'
import { HANGS_MS, untilGone } from '../support/child-process.ts'
import { createTestDaemon, DaemonDidNotStart, type TestDaemon } from '../support/daemon.ts'
import { createRandom, derivedSeed, type Random } from '../support/random.ts'
import { type Eraser, startEraser, startRebuilds } from './others.ts'
import { type PowerCut, powerCut, preparePowerCuts, takeReport } from './power-cut.ts'

/** The options of a run of power cuts. */
export interface PowerRunOptions {
  readonly cuts: number
  /** Decides who does what, when the power goes, and what stays. The machine decides what had been done by then. */
  readonly seed: number
  /** Cuts of one data folder, so that its history grows. Default 8. */
  readonly cutsPerFolder?: number
  /** Goes on after a failure, on a new data folder. Default false. */
  readonly keepGoing?: boolean
  /** The most milliseconds that clients write before a cut. Default 4,000. */
  readonly writeMs?: number
  /** Settings of the daemon. */
  readonly environment?: Readonly<Record<string, string>>
  /** Called with one line per cut. */
  readonly report?: (line: string) => void
}

/** A cut after which something was wrong. */
export interface FailedCut {
  readonly cut: number
  readonly what: string
  readonly differences: readonly string[]
  /** Kept for inspection, with `daemon.log` in it. */
  readonly dataDir: string
}

/** The result of a run. */
export interface PowerRun {
  readonly cuts: number
  readonly acknowledged: number
  readonly erased: number
  /** Changes of the disk that no sync had covered when the power went, and how many of them stayed. */
  readonly pending: number
  readonly kept: number
  readonly failures: readonly FailedCut[]
}

const CLIENTS = 6
const NAMED = 20

interface Folder {
  readonly daemon: TestDaemon
  readonly ledger: Ledger
  readonly eraser: Eraser
  cuts: number
}

/** What all cuts of a run share. */
interface Run {
  readonly options: PowerRunOptions
  readonly environmentOf: (cut: PowerCut) => Readonly<Record<string, string>>
  pending: number
  kept: number
}

/**
 * Cuts the power again and again while clients write, erase and rebuild. Each time, what was acknowledged must be there, the journal
 * must be whole and the index equal to it, by itself.
 */
export async function runPowerCuts(options: PowerRunOptions): Promise<PowerRun> {
  const { cuts, seed, cutsPerFolder = 8, keepGoing = false, report = () => {} } = options
  const bundle = mkdtempSync(join(tmpdir(), 'daybook-power-'))
  const run: Run = { options, environmentOf: await preparePowerCuts(bundle), pending: 0, kept: 0 }
  const failures: FailedCut[] = []
  let folder: Folder | null = null
  let acknowledged = 0
  let erased = 0
  let cut = 0
  while (cut < cuts) {
    cut += 1
    const random = createRandom(derivedSeed(seed, cut))
    folder ??= {
      // Making and migrating a database is cut, too.
      daemon: createTestDaemon(undefined, { emptyFolder: random.chance(0.4) }),
      ledger: createLedger(),
      eraser: startEraser(),
      cuts: 0,
    }
    folder.cuts += 1
    const isLast = folder.cuts >= cutsPerFolder || cut === cuts
    const { ledger, eraser, daemon } = folder
    const before = { acknowledged: ledger.acknowledgements.length, erased: eraser.erased.length }
    const started = Date.now()
    const { what, differences } = await oneCut(run, folder, { cut, random, isLast })
    acknowledged += ledger.acknowledgements.length - before.acknowledged
    erased += eraser.erased.length - before.erased
    report(
      `cut ${cut}: ${what}; ${((Date.now() - started) / 1000).toFixed(1)} s; ${differences.length === 0 ? 'ok' : 'FAILED'}`,
    )
    if (differences.length > 0) {
      await daemon.kill()
      failures.push({ cut, what, differences: differences.slice(0, NAMED), dataDir: daemon.dataDir })
      folder = null
      if (!keepGoing) break
    } else if (isLast) {
      await daemon.remove()
      folder = null
    }
  }
  await folder?.daemon.remove()
  rmSync(bundle, { recursive: true, force: true })
  return { cuts: cut, acknowledged, erased, pending: run.pending, kept: run.kept, failures }
}

async function oneCut(
  run: Run,
  folder: Folder,
  { cut, random, isLast }: { cut: number; random: Random; isLast: boolean },
): Promise<{ what: string; differences: string[] }> {
  const { daemon, ledger, eraser } = folder
  const { seed, writeMs = 4_000, environment = {} } = run.options
  const what: string[] = []
  const differences: string[] = []
  const arm = (part: number, when: { operation?: number; afterSignal?: number }): PowerCut =>
    powerCut(daemon.dataDir, { seed: derivedSeed(seed, cut, part), afterSignal: 0, ...when })
  const start = async (armed: PowerCut) =>
    daemon.start({ environment: { ...environment, ...run.environmentOf(armed) } })
  const noteCut = (armed: PowerCut, when: string): boolean => {
    const done = takeReport(armed)
    if (done === null) return false
    run.pending += done.pending
    run.kept += done.kept
    what.push(
      `${when}, before operation ${done.operation}, ${done.kept} of ${done.pending} pending changes stayed`,
    )
    return true
  }
  try {
    const afterSignal = Math.floor(10 ** (random.next() * 3.3))
    const armed = arm(0, { afterSignal })
    if (!daemon.running()) await start(armed)
    const from = ledger.acknowledgements.length
    const erasing = await eraser.begin(daemon)
    const clients = startClients({ api: daemon, ledger, clients: CLIENTS, seed, round: cut })
    const others = [erasing, ...(random.chance(0.4) ? [startRebuilds(daemon)] : [])]
    try {
      await pause(random.between(100, writeMs))
      const whileStopping = random.chance(0.15)
      const database = daemon.databasePid()
      if (database === undefined) throw new Error('the daemon has no database')
      process.kill(database, 'SIGUSR2')
      // Its last checkpoint is cut.
      if (whileStopping) await daemon.stop()
      else if (!(await untilStopped(daemon))) throw new Error('the power was not cut')
      if (!(await untilGone(database))) throw new Error('the database lives on')
      if (!noteCut(armed, whileStopping ? 'while it stopped' : 'while it ran')) what.push('it stopped before')
      if (random.chance(0.25)) {
        const early = arm(1, { operation: Math.ceil(10 ** (random.next() * 2.6)) })
        await start(early).catch((error: unknown) => {
          if (!(error instanceof DaemonDidNotStart)) throw error
        })
        await daemon.kill()
        noteCut(early, 'again while it started')
      }
      await start(arm(2, {}))
    } finally {
      differences.push(...(await clients.stop(daemon.running() ? undefined : 0)))
      for (const other of others) await other.stop()
    }
    what.push(`${ledger.acknowledgements.length - from} acknowledged, ${eraser.erased.length} erased`)
    const touched = [...new Set(ledger.acknowledgements.slice(from).map(({ memoryId }) => memoryId))]
    const shown = await checkApi(daemon, ledger.acknowledgements, touched.slice(-50))
    differences.push(...shown.differences, ...(await eraser.check(daemon)))
    for (const check of ['verifyJournal', 'verify(projection: PGVECTOR)'])
      differences.push(...problemsOf(check, (await succeeded(daemon, check)).result))
    if (isLast) {
      await daemon.stop()
      differences.push(...(await checkDatabase(daemon.dataDir, ledger, shown)))
    }
  } catch (error) {
    differences.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
  }
  return { what: what.join('; '), differences }
}

function problemsOf(check: string, result: Readonly<Record<string, unknown>> | null): string[] {
  return result?.['clean'] === true ? [] : [`${check}: ${JSON.stringify(result).slice(0, 1_000)}`]
}

async function untilStopped(daemon: TestDaemon): Promise<boolean> {
  for (const deadline = Date.now() + HANGS_MS; Date.now() < deadline; await pause(20))
    if (!daemon.running()) return true
  return false
}
