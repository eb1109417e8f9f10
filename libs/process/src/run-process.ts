import { DaybookError } from '@daybook/memory/errors'
import { damageOf, isReadOnly, whyUnavailable } from '@daybook/postgres/errors'
import { type Config, readConfig } from '@daybook/runtime/config'
import { createLogger, type Logger } from '@daybook/runtime/logger'
import { ensurePrivateFolder, PRIVATE_UMASK } from '@daybook/runtime/private-folder'
import { startTracing } from '@daybook/runtime/tracing'
import { surviveRejections } from '@daybook/runtime/unhandled-rejections'
import { endInTime } from './end-in-time.ts'
import type { ProcessParts } from './process-parts.ts'
import { createShutdown } from './shutdown.ts'

/** What runs as a process. */
export interface ProcessOptions {
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
    await start(config, { logger, shutdown, progress: (message) => console.log(`  ${message}`) })
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
