/** One line of a file, without its end. */
export interface Line {
  /** From 1. */
  readonly number: number
  /** Null if the line cannot be read as text; `problem` says why. */
  readonly text: string | null
  readonly problem: string
  /** Bytes of the file up to the end of this line. */
  readonly readBytes: number
}

const LINE_FEED = 0x0a

/** The longest line that is read, in bytes. Escapes can make a line six times as long as its text. */
export const LONGEST_LINE = 6 * 1024 * 1024

/**
 * The lines of a file while it is read. At most one line and one chunk are in memory; of a line longer than
 * `longest` bytes the rest is skipped. Blank lines are left out but counted.
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  longest = LONGEST_LINE,
): AsyncGenerator<Line> {
  const line = createLineBuffer(longest)
  let number = 0
  let readBytes = 0
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      line.add(chunk.subarray(start, end))
      const one = { number: ++number, readBytes: readBytes + end + 1, ...line.take(number) }
      if (one.text !== '') yield one
      start = end + 1
    }
    line.add(chunk.subarray(start))
    readBytes += chunk.byteLength
  }
  const last = { number: ++number, readBytes, ...line.take(number) }
  if (last.text !== '') yield last
}

function createLineBuffer(longest: number) {
  let parts: Uint8Array[] = []
  let size = 0
  return {
    add(part: Uint8Array): void {
      size += part.byteLength
      if (size > longest) parts = []
      // A copy, because a slice would keep its whole chunk in memory.
      else if (part.byteLength > 0) parts.push(Uint8Array.prototype.slice.call(part))
    },
    take(number: number): Pick<Line, 'text' | 'problem'> {
      const taken = parts
      const tooLong = size > longest
      parts = []
      size = 0
      if (tooLong) return { text: null, problem: `is too long: the limit is ${longest} bytes` }
      return decode(Buffer.concat(taken), number === 1)
    },
  }
}

// Only the beginning of a file may have a byte order mark.
const OF_FIRST_LINE = new TextDecoder('utf-8', { fatal: true })
const OF_OTHERS = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decode(bytes: Uint8Array, first: boolean): Pick<Line, 'text' | 'problem'> {
  try {
    return { text: (first ? OF_FIRST_LINE : OF_OTHERS).decode(bytes).trim(), problem: '' }
  } catch {
    return { text: null, problem: 'is not UTF-8' }
  }
}
