import { safeLine, safeText } from '@daybook/memory/safe-text'
import { type MemoryState, memoryIdOf } from '@daybook/memory/state'

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
export function entryText(number: number, state: MemoryState, said: string): string {
  const facts = [
    memoryIdOf(state),
    (state.occurredAt ?? state.createdAt).slice(0, 10),
    ...(state.context === null ? [] : [`in ${safeLine(state.context)}`]),
    ...(state.agent === null ? [] : [`by ${safeLine(state.agent)}`]),
  ]
  const lines = said
    .replace(LINE_ENDS, '\n')
    .split('\n')
    .map((line) => safeText(line).trim())
    .filter((line) => line !== '')
  return [`[${number}] ${facts.join(' · ')}`, ...lines.map((line) => `  ${line}`)].join('\n')
}
