import { type Logger as PinoLogger, pino, stdSerializers } from 'pino'
import { currentLogFields } from './log-fields.ts'

/** The logger that all parts take. */
export type Logger = PinoLogger

/**
 * Structured logs on standard error: standard output is for what a person or a program asked for. JSON lines,
 * or readable lines on a terminal. Fields that hold secrets are blanked. Lines of a request carry its
 * correlation id and trace (`log-fields.ts`).
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
