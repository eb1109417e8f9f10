import { LIMITS } from '../limits.ts'
import { bytes } from '../text-rules.ts'

/** Where a text is cut, the best first: after a paragraph, a line, a sentence, a word. */
const BREAKS = ['\n\n', '\n', '. ', ' ']

/**
 * Splits a text into pieces of at most `most` bytes of UTF-8. Together they are the text, character by
 * character. Each but the last is cut at the last paragraph of its second half; without one at the last line,
 * sentence or word there; else between two characters.
 */
export function splitText(text: string, most: number = LIMITS.textBytes): string[] {
  const pieces: string[] = []
  let rest = text
  while (bytes(rest) > most) {
    const piece = rest.slice(0, cutIn(firstBytes(rest, most)))
    pieces.push(piece)
    rest = rest.slice(piece.length)
  }
  return [...pieces, rest]
}

/** The longest beginning of at most `most` bytes that cuts no character. */
function firstBytes(text: string, most: number): string {
  // A character has a byte or more in UTF-8 for each code unit in UTF-16, so no more code units can fit.
  const buffer = Buffer.from(text.slice(0, most))
  let end = Math.min(most, buffer.length)
  while (end > 0 && ((buffer[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return buffer.toString('utf8', 0, end)
}

function cutIn(window: string): number {
  for (const separator of BREAKS) {
    const at = window.lastIndexOf(separator)
    if (at >= window.length / 2) return at + separator.length
  }
  return window.length
}
