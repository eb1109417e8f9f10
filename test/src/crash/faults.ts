import { pause } from '@daybook/runtime/backoff'
import { HANGS_MS, untilGone } from '../support/child-process.ts'
import { DaemonDidNotStart, type StartOptions, type TestDaemon } from '../support/daemon.ts'
import type { Random } from '../support/random.ts'

/** A fault of the daemon while clients write. Afterwards the daemon is ready again. */
export interface Fault {
  readonly name: string
  /**
   * @returns details for the round's line
   * @throws if the daemon does not come back, or leaves a process behind
   */
  inflict(daemon: TestDaemon, random: Random, start: StartOptions): Promise<string>
}

async function expectReady(daemon: TestDaemon): Promise<void> {
  if (!(await daemon.ready())) throw new Error(`the daemon did not become ready again\n${daemon.log()}`)
}

/** The database's process must end by itself once its daemon is gone. */
async function expectGone(pid: number | undefined): Promise<void> {
  if (pid !== undefined && !(await untilGone(pid)))
    throw new Error(`the database's process ${pid} outlives its daemon`)
}

const killDaemon: Fault = {
  name: 'kill -9 of the daemon',
  async inflict(daemon, _, start) {
    await daemon.kill()
    await daemon.start(start)
    return ''
  },
}

/** The old database's process must end without the help of the next daemon. */
const killDaemonAndWait: Fault = {
  name: 'kill -9 of the daemon, its database ends by itself',
  async inflict(daemon, _, start) {
    const database = daemon.databasePid()
    await daemon.kill()
    await expectGone(database)
    await daemon.start(start)
    return ''
  },
}

const killDatabase: Fault = {
  name: 'kill -9 of the database',
  async inflict(daemon) {
    daemon.killDatabase()
    await expectReady(daemon)
    return ''
  },
}

const killDatabaseTwice: Fault = {
  name: 'kill -9 of the database twice',
  async inflict(daemon, random) {
    const first = daemon.killDatabase()
    const deadline = Date.now() + HANGS_MS
    while (daemon.databasePid() === first && Date.now() < deadline) await pause(5)
    // Its lock names the process as soon as it starts, so this hits its start, the recovery of the folder, or
    // its first queries.
    const delay = random.between(0, 1_500)
    await pause(delay)
    daemon.killDatabase()
    await expectReady(daemon)
    return `the second ${delay} ms after its new start`
  },
}

const killBoth: Fault = {
  name: 'kill -9 of the daemon and the database',
  async inflict(daemon, random, start) {
    const databaseFirst = random.chance(0.5)
    if (databaseFirst) daemon.killDatabase()
    const database = daemon.databasePid()
    await daemon.kill()
    if (!databaseFirst && database !== undefined)
      try {
        process.kill(database, 'SIGKILL')
      } catch {
        // It was faster.
      }
    await daemon.start(start)
    return databaseFirst ? 'the database first' : 'the daemon first'
  },
}

/** Kills something a moment after a start began, then lets a start succeed. */
async function interruptStart(
  daemon: TestDaemon,
  start: StartOptions,
  delay: number,
  interrupt: () => Promise<unknown> | unknown,
): Promise<string> {
  let failure: unknown = null
  const starting = daemon.start(start).catch((error: unknown) => {
    failure = error
  })
  await pause(delay)
  await interrupt()
  await starting
  if (failure !== null && !(failure instanceof DaemonDidNotStart)) throw failure
  if (failure !== null && (failure as Error).message.includes('not ready in time')) throw failure
  if (!daemon.running()) await daemon.start(start)
  return failure === null ? 'it came up all the same' : 'it was started once more'
}

const killDaemonTwice: Fault = {
  name: 'kill -9 of the daemon, and again while it starts',
  async inflict(daemon, random, start) {
    await daemon.kill()
    const delay = random.between(50, 3_500)
    let database: number | undefined
    const how = await interruptStart(daemon, start, delay, async () => {
      database = daemon.databasePid()
      await daemon.kill()
      await expectGone(database)
    })
    return `${delay} ms after its start, ${how}`
  },
}

const killDatabaseAtStart: Fault = {
  name: 'kill -9 of the daemon, and of the database while it starts',
  async inflict(daemon, random, start) {
    await daemon.kill()
    const delay = random.between(0, 1_500)
    const how = await interruptStart(daemon, start, 0, async () => {
      const deadline = Date.now() + HANGS_MS
      while (daemon.databasePid() === undefined && daemon.pid() !== undefined && Date.now() < deadline)
        await pause(5)
      await pause(delay)
      daemon.killDatabase()
    })
    await expectReady(daemon)
    return `${delay} ms after the database's start, ${how}`
  },
}

/** Kills the daemon in a new folder while it makes the database, migrates it, or makes the first key. */
export async function interruptFirstStart(
  daemon: TestDaemon,
  random: Random,
  start: StartOptions,
): Promise<void> {
  const starting = daemon.start(start).catch((error: unknown) => {
    if (!(error instanceof DaemonDidNotStart)) throw error
  })
  await pause(random.between(500, 8_000))
  const database = daemon.databasePid()
  await daemon.kill()
  await starting
  await expectGone(database)
}

const terminate: Fault = {
  name: 'SIGTERM',
  async inflict(daemon, _, start) {
    await expectCleanStop(daemon)
    await daemon.start(start)
    return ''
  },
}

/** @throws if it does not stop in time, exits with an error, or leaves its database process behind */
export async function expectCleanStop(daemon: TestDaemon): Promise<void> {
  const database = daemon.databasePid()
  const code = await daemon.stop()
  if (code !== 0)
    throw new Error(`after SIGTERM the daemon ended with ${code ?? 'a kill, as it hung'}\n${daemon.log()}`)
  await expectGone(database)
}

/** All faults. The most important ones are listed more than once, so they come more often. */
export const FAULTS: readonly Fault[] = [
  killDaemon,
  killDaemon,
  killDaemonAndWait,
  killDatabase,
  killDatabase,
  killDatabaseTwice,
  killBoth,
  killDaemonTwice,
  killDatabaseAtStart,
  terminate,
]
