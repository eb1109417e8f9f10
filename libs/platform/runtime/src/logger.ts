import { type Logger as PinoLogger, pino, stdSerializers } from 'pino'
import { currentLogFields } from './log-fields.ts'

export type Logger = PinoLogger

/**
 * Structured logs on standard error: standard output belongs to what a person or a program asked for. JSON lines, or
 * readable ones on a terminal. Fields that hold secrets are blanked wherever they turn up. Lines of a request carry its
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

/** For tests and for parts whose owner wants no logs. */
export const silentLogger: Logger = pino({ level: 'silent' })
