import { DaybookError } from '@daybook/memory/errors'
import { type Config, readConfig } from '@daybook/runtime/config'
import { createLogger, type Logger } from '@daybook/runtime/logger'
import { ensurePrivateFolder, PRIVATE_UMASK } from '@daybook/runtime/private-folder'
import { startTracing } from '@daybook/runtime/tracing'
import { endInTime } from './end-in-time.ts'
import type { ProcessParts } from './process-parts.ts'
import { createShutdown } from './shutdown.ts'

export interface ProcessOptions {
  /** Of the log lines, metrics and traces: `daybook`, `gateway`. */
  readonly name: string
  /** As people are told: `Daybook`, `The gateway`. */
  readonly title: string
  /** Where the service listens unless `DAYBOOK_PORT` says otherwise. */
  readonly defaultPort: number
  /** Starts everything. What it adds to `shutdown` is ended by a signal, or if the start fails half-way. */
  start(config: Config, parts: ProcessParts): Promise<void>
}

/**
 * Runs a process from its start to its end. SIGINT or SIGTERM ends it cleanly, within 10 s whatever is under way, a second
 * one at once. It exits with 0 after a clean stop and with 1 otherwise; an expected failure of the start is told in words, without a stack.
 */
export async function runProcess({ name, title, defaultPort, start }: ProcessOptions): Promise<void> {
  process.umask(PRIVATE_UMASK)
  const shutdown = createShutdown()
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
  try {
    const config = readConfig(process.env, { defaultPort })
    ensurePrivateFolder(config.dataDir)
    const logger = createLogger(name, config.logLevel)
    const stop = (signal: NodeJS.Signals) => {
      // A second Ctrl-C means it: whatever is committed stays, so nothing acknowledged is lost.
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
    console.log(`${title} is starting …`)
    const tracing = await startTracing({ service: name, endpoint: config.otlpEndpoint })
    shutdown.add(tracing.stop)
    await start(config, { logger, shutdown, progress: (message) => console.log(`  ${message}`) })
  } catch (error) {
    // A signal during the start takes away what the start needs next.
    if (stopping) return
    stopping = true
    console.error(`\n${title} cannot start:`, error instanceof DaybookError ? error.message : error)
    await endInTime(shutdown).catch((again: unknown) =>
      console.error('Its failed start left something behind:', again),
    )
    process.exit(1)
  }
}
