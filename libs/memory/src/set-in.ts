import { safeLine, safeText } from './safe-text.ts'

/*
 * Memories in a text for a model: what Daybook says begins in the first column, and every line of a memory is set in, so that no
 * memory can look like a line of Daybook or of another memory.
 */

/** Whatever ends a line for somebody who reads it. */
const LINE_ENDS = /\r\n?|[\n\v\f\u0085\u2028\u2029]/gu

/** The lines that a reader sees of a text, without control characters. */
export const safeLines = (text: string): readonly string[] =>
  text.replace(LINE_ENDS, '\n').split('\n').map(safeText)

/** Sets lines in by two blanks. */
export const setIn = (lines: readonly string[]): string => lines.map((line) => `  ${line}`).join('\n')

/** Where a memory comes from. */
export interface Origin {
  readonly occurredAt: string | null
  readonly createdAt: string
  readonly context: string | null
  readonly agent: string | null
}

/** The day, the context and the agent of a memory, for a heading: `2023-05-08`, `in shop`, `by claude`. */
export const originFacts = ({ occurredAt, createdAt, context, agent }: Origin): readonly string[] => [
  (occurredAt ?? createdAt).slice(0, 10),
  ...(context === null ? [] : [`in ${safeLine(context)}`]),
  ...(agent === null ? [] : [`by ${safeLine(agent)}`]),
]
