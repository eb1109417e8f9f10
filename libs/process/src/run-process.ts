import { DaybookError } from '@daybook/memory/errors'
import { type Database, refusalOf } from '@daybook/postgres/connect'
import { damageOf, isReadOnly, whyUnavailable } from '@daybook/postgres/errors'
import { isReachable } from '@daybook/postgres/migrate'
import { describeDiverged } from '@daybook/projection/positions/divergence'
import { pause } from '@daybook/runtime/backoff'
import { type Config, readConfig } from '@daybook/runtime/config'
import { createLogger, type Logger } from '@daybook/runtime/logger'
import { createLook } from '@daybook/runtime/look'
import { type Activity, createActivity } from '@daybook/runtime/loop'
import type { ServiceMetrics } from '@daybook/runtime/metrics'
import { ensurePrivateFolder, PRIVATE_UMASK } from '@daybook/runtime/private-folder'
import type { Readiness } from '@daybook/runtime/probes'
import { startServiceHttp } from '@daybook/runtime/service-http'
import { startTracing } from '@daybook/runtime/tracing'
import { surviveRejections } from '@daybook/runtime/unhandled-rejections'
import type { Bus } from '@daybook/transport/bus'

/** What runs as a process. */
interface ProcessOptions {
  /** The name in log lines, metrics and traces: `daybook`, `gateway`. */
  readonly name: string
  /** The name in messages for people: `Daybook`, `The gateway`. */
  readonly title: string
  /** The port to listen on unless `DAYBOOK_PORT` says otherwise. */
  readonly defaultPort: number
  /** Starts everything. A signal, or a start that fails half-way, ends what was added to `shutdown`. */
  start(config: Config, parts: ProcessParts): Promise<void>
}

/**
 * Runs a process from start to end. SIGINT or SIGTERM ends it cleanly within 10 s, a second signal at once.
 * It exits with 0 after a clean stop, else with 1. An expected failure of the start prints its message,
 * without a stack.
 */
export async function runProcess({ name, title, defaultPort, start }: ProcessOptions): Promise<void> {
  process.umask(PRIVATE_UMASK)
  let shutdown = createShutdown()
  let stopping = false
  const end = async (logger: Logger): Promise<never> => {
    try {
      const { cutOff } = await endInTime(shutdown)
      if (cutOff.length === 0) {
        console.log(`${title} has stopped.`)
        process.exit(0)
      }
      logger.warn({ cutOff }, `${title} was cut off`)
      console.log(
        `${title} was cut off: ${cutOff.join(', ')} had not ended in time. What was acknowledged is kept.`,
      )
    } catch (error) {
      logger.error({ error }, `${title} could not stop cleanly`)
    }
    process.exit(1)
  }
  const startOnce = async (config: Config, logger: Logger): Promise<void> => {
    console.log(`${title} is starting …`)
    const tracing = await startTracing({ service: name, endpoint: config.otlpEndpoint })
    shutdown.add(tracing.stop)
    const activity = createActivity(AMONG_OTHERS)
    await start(config, { logger, shutdown, activity, progress: (message) => console.log(`  ${message}`) })
  }
  const endFailedStart = () =>
    endInTime(shutdown).catch((again: unknown) =>
      console.error('Its failed start left something behind:', again),
    )
  /** Whoever comes across damage has it repaired, if that is possible: each start then stops at another file, or not at all. */
  const startDespiteDamage = async (config: Config, logger: Logger): Promise<void> => {
    const problems = new Set<string>()
    for (;;)
      try {
        return await startOnce(config, logger)
      } catch (error) {
        const problem = damageOf(error)?.message
        if (stopping || problem === undefined || problems.has(problem)) throw error
        problems.add(problem)
        await endFailedStart()
        shutdown = createShutdown()
      }
  }
  try {
    const config = readConfig(process.env, { defaultPort })
    ensurePrivateFolder(config.dataDir)
    const logger = createLogger(name, config.logLevel)
    surviveRejections(logger)
    const stop = (signal: NodeJS.Signals) => {
      // A second Ctrl-C: stop now. Committed data stays, so nothing acknowledged is lost.
      if (stopping) {
        shutdown.cut()
        process.exit(1)
      }
      stopping = true
      console.log(`\n${signal}: finishing what was accepted, for 10 s at most …`)
      void end(logger)
    }
    process.on('SIGINT', stop)
    process.on('SIGTERM', stop)
    await startDespiteDamage(config, logger)
  } catch (error) {
    // A signal during the start closes what the start needs next.
    if (stopping) return
    stopping = true
    console.error(`\n${title} cannot start:`, reasonOfStart(error))
    await endFailedStart()
    process.exit(1)
  }
}

const reasonOfStart = (error: unknown): unknown => {
  if (damageOf(error) !== null || isReadOnly(error)) return whyUnavailable(error)
  return error instanceof DaybookError ? error.message : error
}

/** How a part of a process ends. */
interface Ending {
  /** Its name in the message when it does not end in time: `the gateway`. @default 'a part' */
  readonly part?: string
  /** Called once, before anything is stopped. */
  readonly begin?: () => void
  /** Called from time to time once the stop takes long: ends what blocks others, such as a long statement. */
  readonly hurry?: () => Promise<void>
  /** Called at the very end if the part did not stop: leaves nothing behind. It must not wait. */
  readonly cut?: () => void
}

/** Everything that was started, to be ended in the opposite order whatever happens. */
interface Shutdown {
  add(stop: () => Promise<void> | void, ending?: Ending): void
  /** Ends everything, the last started first, even if one fails. @throws the first failure, at the end */
  run(): Promise<void>
  /** Ends what blocks others, in all parts that have not ended. Failures are ignored. */
  hurry(): Promise<void>
  /** Gives up. @returns the parts that have not ended, beginning with the one that is ending now */
  cut(): string[]
}

interface RunningPart extends Ending {
  readonly stop: () => Promise<void> | void
}

/** An empty list of parts. */
export function createShutdown(): Shutdown {
  const started: RunningPart[] = []
  return {
    add: (stop, ending = {}) => void started.push({ stop, ...ending }),
    async run() {
      const failures: unknown[] = []
      for (const { begin } of started) begin?.()
      for (let last = started.at(-1); last !== undefined; last = started.at(-1)) {
        try {
          await last.stop()
        } catch (error) {
          failures.push(error)
        }
        started.splice(started.indexOf(last), 1)
      }
      if (failures.length > 0) throw failures[0]
    },
    async hurry() {
      await Promise.allSettled(started.map(({ hurry }) => hurry?.()))
    },
    cut() {
      for (const { cut } of started) cut?.()
      return started.map(({ part = 'a part' }) => part).toReversed()
    },
  }
}

/** How a stop ended: `cutOff` names the parts that did not end in time. */
interface Ended {
  readonly cutOff: readonly string[]
}

/**
 * Times of a stop, in milliseconds: when to start ending what blocks others, how often to repeat that, and
 * when to give up.
 */
interface StopTimes {
  readonly hurryAfterMs: number
  readonly hurryEveryMs: number
  readonly limitMs: number
}

/**
 * Under 10 s, after which supervisors such as Docker kill. Connections have 3 s for their last answers, then
 * running statements are cancelled. What has not ended after 9.5 s is cut off.
 */
const STOP_TIMES: StopTimes = { hurryAfterMs: 4_000, hurryEveryMs: 1_000, limitMs: 9_500 }

/**
 * Ends everything within the limit. A cut loses nothing that was acknowledged: it is already committed.
 * Leases that were not released run out by themselves.
 * @throws the first failure of a part that could not be stopped
 */
export async function endInTime(shutdown: Shutdown, times: StopTimes = STOP_TIMES): Promise<Ended> {
  const over = new AbortController()
  const limit = new Promise<'limit'>((resolve) => {
    const timer = setTimeout(() => resolve('limit'), times.limitMs)
    over.signal.addEventListener('abort', () => clearTimeout(timer))
  })
  const hurrying = async (): Promise<void> => {
    await pause(times.hurryAfterMs, over.signal)
    while (!over.signal.aborted) {
      await shutdown.hurry()
      await pause(times.hurryEveryMs, over.signal)
    }
  }
  void hurrying()
  try {
    const end = await Promise.race([shutdown.run(), limit])
    return { cutOff: end === 'limit' ? shutdown.cut() : [] }
  } finally {
    over.abort()
  }
}

/**
 * A process beside which others may do something at any time. After a minute without work of its own it looks every 5 s for what can
 * wait so long: operations, texts to embed, chores, its own version. With looks every .5 to 2 s an idle gateway, projector and reindex
 * service with NATS and Postgres took 5 % of a core, for being woken.
 */
const AMONG_OTHERS = { idleAfterMs: 60_000, idleMs: 5_000 }

/** Tells the person who started the process what it is doing, in one sentence. */
export type Progress = (message: string) => void

/** What every part of a process gets when it opens. */
export interface ProcessParts {
  readonly logger: Logger
  readonly progress: Progress
  /** Each opened part registers here how it is closed. */
  readonly shutdown: Shutdown
  /** When loops rest that can. */
  readonly activity: Activity
}

/** How long a look at the bus counts, in milliseconds. */
const LOOK_MS = 10_000

/**
 * Serves `/health`, `/ready` and `/metrics` for a service without an API. It is ready if it can reach and
 * read the database and no projection has diverged from its journal. Other parts may be unavailable: work
 * continues by itself when they are back.
 * @returns the address
 */
export async function serveProbes(
  config: Config,
  { db, bus, metrics }: { db: Database; bus: Bus; metrics: ServiceMetrics },
  { logger, shutdown }: ProcessParts,
): Promise<string> {
  const look = createLook(
    async () => {
      const { problem } = await bus.status()
      return problem === null ? [] : [`${problem}. Events wait in the journal, where projectors find them`]
    },
    {
      fineMs: LOOK_MS,
      missingMs: LOOK_MS,
      onError: (error) => logger.warn({ error }, 'the bus could not be looked at'),
    },
  )
  const ready = async (): Promise<Readiness> => {
    const degraded = look()
    const refusal = refusalOf(db)
    if (refusal !== null) return { ready: false, problems: [refusal.message] }
    if (!(await isReachable(db))) return { ready: false, problems: ['the database cannot be reached'] }
    const problems = await describeDiverged(db)
    return { ready: problems.length === 0, problems, degraded: await degraded }
  }
  const http = await startServiceHttp({ logger, ready, metrics }, config)
  shutdown.add(http.stop, { part: 'the probes' })
  return http.url
}
