import { safeLines, setIn } from './safe-text.ts'
import { type Origin, originFacts } from './state.ts'

/** What the heading of an entry says of its memory. */
export interface ShownEntry extends Origin {
  /** With the kind in front. */
  readonly id: string
}

/**
 * A memory in a prompt:
 *
 *   [1] note:0192f0c1-… · 2023-05-08 · in caroline-melanie
 *     Caroline: I went to a support group yesterday.
 *
 * Only a heading begins in the first column. Blank lines and indentation of the memory are left out: they cost tokens.
 */
export function entryText(number: number, memory: ShownEntry, said: string): string {
  const lines = safeLines(said)
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const heading = `[${number}] ${[memory.id, ...originFacts(memory)].join(' · ')}`
  return lines.length === 0 ? heading : `${heading}\n${setIn(lines)}`
}
