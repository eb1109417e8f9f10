import { safeLine, safeText } from './safe-text.ts'

/** What the heading of an entry says of its memory. */
export interface ShownEntry {
  /** With the kind in front. */
  readonly id: string
  readonly occurredAt: string | null
  readonly createdAt: string
  readonly context: string | null
  readonly agent: string | null
}

/** Whatever ends a line for somebody who reads it. */
const LINE_ENDS = /\r\n?|[\n\v\f\u0085\u2028\u2029]/gu

/**
 * A memory in a prompt:
 *
 *   [1] note:0192f0c1-… · 2023-05-08 · in caroline-melanie
 *     Caroline: I went to a support group yesterday.
 *
 * Only a heading begins in the first column. Every line of the memory is set in, and control characters are
 * removed, so that no memory can look like another entry.
 */
export function entryText(number: number, memory: ShownEntry, said: string): string {
  const facts = [
    memory.id,
    (memory.occurredAt ?? memory.createdAt).slice(0, 10),
    ...(memory.context === null ? [] : [`in ${safeLine(memory.context)}`]),
    ...(memory.agent === null ? [] : [`by ${safeLine(memory.agent)}`]),
  ]
  const lines = said
    .replace(LINE_ENDS, '\n')
    .split('\n')
    .map((line) => safeText(line).trim())
    .filter((line) => line !== '')
  return [`[${number}] ${facts.join(' · ')}`, ...lines.map((line) => `  ${line}`)].join('\n')
}
