import { AsyncLocalStorage } from 'node:async_hooks'
import { type Logger as PinoLogger, pino, stdSerializers } from 'pino'
import { currentTraceId } from './trace-context.ts'

/** The logger that all parts take. */
export type Logger = PinoLogger

/**
 * Structured logs on standard error: standard output is for what a person or a program asked for. JSON lines,
 * or readable lines on a terminal. Fields that hold secrets are blanked. Lines of a request carry its
 * correlation id and trace (`logger.ts`).
 */
export function createLogger(name: string, level: string): Logger {
  const options = {
    name,
    level,
    mixin: currentLogFields,
    serializers: { error: stdSerializers.err },
    redact: {
      paths: ['authorization', '*.authorization', 'apiKey', '*.apiKey', 'password', '*.password'],
      censor: '…',
    },
  }
  if (!process.stderr.isTTY) return pino(options, pino.destination({ fd: 2, sync: true }))
  return pino({
    ...options,
    transport: {
      target: 'pino-pretty',
      options: { destination: 2, ignore: 'pid,hostname', translateTime: 'HH:MM:ss' },
    },
  })
}

/** For tests, and for parts that should not log. */
export const silentLogger: Logger = pino({ level: 'silent' })

/** Fields of every log line that is written for a request, however deep in the code. */
interface LogFields {
  readonly correlationId: string
}

// Stored with the asynchronous call, not in a child logger passed down: the same parts (the writer, the
// search, the database pool) serve all requests, and each line should still name its request.
const fields = new AsyncLocalStorage<LogFields>()

/** Runs `work`; every log line written during it has these fields. */
export function withLogFields<T>(given: LogFields, work: () => T): T {
  return fields.run(given, work)
}

/** The log fields of the current request, and its trace. */
export function currentLogFields(): object {
  const traceId = currentTraceId()
  return { ...fields.getStore(), ...(traceId === undefined ? {} : { traceId }) }
}
