import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createJournalWriter } from '@daybook/journal/append/journal-writer'
import { ensureProject } from '@daybook/postgres/access/projects'
import { type DatabaseAddress, openDatabase, serverAddress } from '@daybook/postgres/connect'
import { migrate } from '@daybook/postgres/migrate'
import { projectScope } from '@daybook/postgres/project-scope'
import { OWN_POSTGRES } from '@daybook/postgres/testing/native-binaries'
import { startNativeServer } from '@daybook/postgres/testing/native-server'
import { pause } from '@daybook/runtime/backoff'
import { OWN_NATS, startNativeNats } from '@daybook/transport/testing/native-nats'
import { sql } from 'kysely'
import { createServiceProcess } from '../src/chaos/service-process.ts'
import { startCli } from '../src/cli/run-cli.ts'
import { createTestDaemon, REPOSITORY, type TestDaemon } from '../src/support/daemon.ts'
import { percentile } from '../src/support/percentile.ts'
import { processTree, TICKS, type TreeProcess } from '../src/support/process-tree.ts'
import { type BenchOptions } from './bench.ts'
import { fillDaemon } from './fill-daemon.ts'
import { noteRequests } from './search-corpus.ts'

/** Measures what an idle daemon takes of a machine: memory, processor, time to start. Linux only. */
export const name = 'footprint'
export const description =
  'memory, idle processor time and starts of a daemon with 10,000 memories (--large: of services with 5,000 projects on native Postgres)'

const MEMORIES = 10_000
const ROUNDS = 5
/** Milliseconds until loops rest, and the load's garbage is collected. */
const SETTLE_MS = 40_000
const IDLE_MS = 30_000
const SERVICES = ['gateway', 'projector-pgvector', 'reindex'] as const
const PROJECTS = 5_000
const PROJECT_MEMORIES = 12
/** Each looks at all projects once in a while: many times in so long. */
const SERVICES_IDLE_MS = 120_000

export async function run({ rounds = ROUNDS, large }: BenchOptions): Promise<void> {
  if (large) return measureServices()
  const environment = { DAYBOOK_SELF_CHECK: '5s' }
  const daemon = createTestDaemon(undefined, { embedder: 'minilm', emptyFolder: true, environment })
  try {
    print('first start, ms', await startTime(daemon), 5_000)
    await fillDaemon(daemon, MEMORIES)
    await daemon.stop()
    const starts: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      starts.push(await startTime(daemon))
      if (round < rounds - 1) await daemon.stop()
    }
    print('warm start, ms', percentile(starts, 0.5), 2_000)
    await pause(SETTLE_MS)
    const before = processTree(daemon.pid() ?? 0)
    await pause(IDLE_MS)
    const after = processTree(daemon.pid() ?? 0)
    print('resident memory idle, MB', sum(after, ({ resident }) => resident) / 1e6, 450)
    for (const { what, resident } of after)
      console.log(`    ${(resident / 1e6).toFixed(0).padStart(6)}  ${what}`)
    const ticks = sum(after, ({ ticks: now }) => now) - sum(before, ({ ticks: then }) => then)
    print('idle processor, % of a core', (ticks / TICKS / (IDLE_MS / 1_000)) * 100, 0.5)
    const statuses: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const startedAt = performance.now()
      await startCli(['status', '--data-dir', daemon.dataDir]).ended
      statuses.push(performance.now() - startedAt)
    }
    print('daybook status, ms', percentile(statuses, 0.5), 250)
    print('something printed, ms', await firstOutput(), 500)
  } finally {
    await daemon.remove()
  }
}

/** Services of their own beside many projects in which nothing happens. */
async function measureServices(): Promise<void> {
  if (OWN_NATS.problem !== null || OWN_POSTGRES.problem !== null)
    return console.log('not measured: there is no native Postgres or NATS here, run infra/debian/install')
  const folder = mkdtempSync(join(tmpdir(), 'daybook-bench-'))
  const [postgres, nats] = await Promise.all([startNativeServer(), startNativeNats()])
  const address = serverAddress(postgres.url)
  const environment = {
    DATABASE_URL: postgres.url,
    NATS_URL: nats.url,
    LOG_LEVEL: 'warn',
    DAYBOOK_SELF_CHECK: '5s',
    // Texts that are embedded are work.
    DAYBOOK_EMBEDDER: 'none',
  }
  const services = SERVICES.map((service) =>
    createServiceProcess({ name: service, service, folder, environment }),
  )
  try {
    await migrate(address)
    await fillProjects(address)
    await Promise.all(services.map((service) => service.start()))
    await untilApplied(address)
    await pause(2 * SETTLE_MS)
    const before = processTree(process.pid)
    await pause(SERVICES_IDLE_MS)
    let all = 0
    for (const what of [...SERVICES, 'postgres']) {
      const of = (tree: readonly TreeProcess[]) =>
        sum(
          tree.filter((one) => one.what.includes(what)),
          ({ ticks, endedTicks }) => ticks + endedTicks,
        )
      const share = (of(processTree(process.pid)) - of(before)) / TICKS / (SERVICES_IDLE_MS / 10 ** 5)
      all += share
      console.log(`    ${share.toFixed(2).padStart(6)}  ${what}`)
    }
    print('idle processor, % of a core', all, 1)
  } finally {
    await Promise.all(services.map((service) => service.stop()))
    await Promise.all([postgres.stop(), nats.stop()])
    rmSync(folder, { recursive: true, force: true })
  }
}

async function fillProjects(address: DatabaseAddress): Promise<void> {
  const db = openDatabase(address)
  const writer = createJournalWriter(() => {})
  const next = noteRequests()
  for (let made = 0; made < PROJECTS; made += 1) {
    const scope = projectScope(db, await ensureProject(db, `project ${made}`))
    await writer.appendMany(scope, Array.from({ length: PROJECT_MEMORIES }, next))
  }
  await db.destroy()
}

async function untilApplied(address: DatabaseAddress): Promise<void> {
  const owner = openDatabase(address, { role: null })
  const counted = () =>
    sql<{ events: number }>`select coalesce(sum(position), 0)::int as events from daybook.positions`.execute(
      owner,
    )
  while ((await counted()).rows[0]?.events !== PROJECTS * PROJECT_MEMORIES) await pause(1_000)
  await sql`vacuum (analyze)`.execute(owner)
  await owner.destroy()
}

function print(what: string, measured: number, goal: number): void {
  const shown = measured.toFixed(measured < 10 ? 2 : 0)
  console.log(
    `  ${what.padEnd(30)} ${shown.padStart(8)}   goal ${goal}${measured <= goal ? '' : '   MISSED'}`,
  )
}

async function startTime(daemon: TestDaemon): Promise<number> {
  const startedAt = performance.now()
  await daemon.start()
  return performance.now() - startedAt
}

/** Milliseconds until a daemon on an empty folder prints its first byte. */
async function firstOutput(): Promise<number> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, ['scripts/start.mjs', 'daemon'], {
    cwd: REPOSITORY,
    env: { ...process.env, DAYBOOK_DATA_DIR: '/dev/null/none', DAYBOOK_PORT: '0' },
  })
  await new Promise((resolve) => {
    child.stdout.once('data', resolve)
    child.stderr.once('data', resolve)
  })
  const took = performance.now() - startedAt
  child.kill('SIGKILL')
  return took
}

const sum = (processes: readonly TreeProcess[], of: (one: TreeProcess) => number): number =>
  processes.reduce((total, one) => total + of(one), 0)
