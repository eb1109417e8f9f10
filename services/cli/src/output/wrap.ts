import stringWidth from 'string-width'

/**
 * Wraps text to `columns`, at blanks. A longer word stays whole; the terminal breaks it. A continued line is
 * indented like the text of its first line, or by `hang` columns.
 *
 * Two blanks set a part off, such as a command to copy. Such a part is not broken if it fits on one line.
 */
export function wrap(text: string, columns: number, hang?: number): string {
  if (columns === Number.POSITIVE_INFINITY) return text
  return text
    .split('\n')
    .map((line) => wrapLine(line, columns, hang))
    .join('\n')
}

/** What stands before a line's text: blanks, the number of a hit, an arrow. */
const BEFORE_TEXT = /^ *(?:\d+\. |→ )?/u

function wrapLine(line: string, columns: number, hang?: number): string {
  if (stringWidth(line) <= columns) return line
  const before = BEFORE_TEXT.exec(line)?.[0] ?? ''
  const indent = ' '.repeat(Math.min(hang ?? before.length, Math.floor(columns / 2)))
  const lines: string[] = []
  let open = before
  let begun = false
  const put = (gap: string, piece: string) => {
    if (begun && stringWidth(open + gap + piece) > columns) {
      lines.push(open)
      open = indent + piece
    } else open += begun ? gap + piece : piece
    begun = true
  }
  for (const [gap, segment] of segmentsOf(line.slice(before.length))) {
    const isWhole = stringWidth(indent + segment) <= columns || stringWidth(open + gap + segment) <= columns
    if (isWhole) put(gap, segment)
    else for (const [index, word] of segment.split(' ').entries()) put(index === 0 ? gap : ' ', word)
  }
  return [...lines, open].join('\n')
}

/** The parts between runs of two or more blanks, each with the run before it. */
function segmentsOf(text: string): [gap: string, segment: string][] {
  const parts = text.split(/( {2,})/u)
  return parts.flatMap((part, index) => (index % 2 === 0 ? [[parts[index - 1] ?? '', part]] : []))
}

/** Wraps `text` behind `before`; its further lines begin in the column where it began. */
export function wrapBehind(before: string, text: string, columns: number): string {
  const indent = Math.min(stringWidth(before), Math.floor(columns / 2))
  const [first = '', ...others] = wrap(text, columns - indent).split('\n')
  return [before + first, ...others.map((line) => ' '.repeat(indent) + line)].join('\n')
}

/**
 * Joins the lines of each paragraph, which were broken for the source only. Indented lines stay as they are.
 */
export const joinLines = (text: string): string => text.replace(/(?<=^\S.*)\n(?=\S)/gmu, ' ')
