import { pino } from 'pino'
import { currentLogFields } from '../log-fields.ts'
import type { Logger } from '../logger.ts'

/** A logger that keeps its lines, as the objects that they are. */
export function createMemoryLogger(): { logger: Logger; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = []
  const write = (line: string) => void lines.push(JSON.parse(line))
  return { lines, logger: pino({ mixin: currentLogFields }, { write }) }
}
