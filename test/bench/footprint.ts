import { spawn } from 'node:child_process'
import { pause } from '@daybook/runtime/backoff'
import { startCli } from '../src/cli/run-cli.ts'
import { createTestDaemon, REPOSITORY, type TestDaemon } from '../src/support/daemon.ts'
import { percentile } from '../src/support/percentile.ts'
import { processTree, TICKS, type TreeProcess } from '../src/support/process-tree.ts'
import { type BenchOptions } from './bench.ts'
import { fillDaemon } from './fill-daemon.ts'

/** Measures what an idle daemon takes of a machine: memory, processor, time to start. Linux only. */
export const name = 'footprint'
export const description = 'memory, idle processor time and starts of a daemon with 10,000 memories'

const MEMORIES = 10_000
const ROUNDS = 5
/** Milliseconds until loops rest, and the load's garbage is collected. */
const SETTLE_MS = 40_000
const IDLE_MS = 30_000

export async function run({ rounds = ROUNDS }: BenchOptions): Promise<void> {
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
