import { pino } from 'pino'
import { currentLogFields, type Logger } from '../logger.ts'

/** A logger that keeps its lines as objects. */
export function createMemoryLogger(): { logger: Logger; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = []
  const write = (line: string) => void lines.push(JSON.parse(line))
  return { lines, logger: pino({ mixin: currentLogFields }, { write }) }
}
