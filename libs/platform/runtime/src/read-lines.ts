/** One line of a file, without its end. */
export interface Line {
  /** From 1. */
  readonly number: number
  /** Null where the line cannot be read as text; `problem` says why. */
  readonly text: string | null
  readonly problem: string
  /** Bytes of the file up to its end, this line included. */
  readonly readBytes: number
}

const LINE_FEED = 0x0a

/** The longest line that is read, in bytes. Escaped characters make a line up to six times as long as what it says. */
export const LONGEST_LINE = 6 * 1024 * 1024

/**
 * The lines of a file as it is read. No more than one line and one chunk are held in memory, and of a line over `longest`
 * bytes not even that: its rest is skipped. Blank lines are left out but counted.
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
      // A copy: the chunk that it is a part of would stay in memory as long as it.
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

// A byte order mark may begin a file, nothing else.
const OF_FIRST_LINE = new TextDecoder('utf-8', { fatal: true })
const OF_OTHERS = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decode(bytes: Uint8Array, first: boolean): Pick<Line, 'text' | 'problem'> {
  try {
    return { text: (first ? OF_FIRST_LINE : OF_OTHERS).decode(bytes).trim(), problem: '' }
  } catch {
    return { text: null, problem: 'is not UTF-8' }
  }
}
