const LINE_FEED = 0x0a

/** The most bytes of the first line to read; a header is far shorter. */
const LONGEST = 64 * 1024

/**
 * Bytes in which to look for a NUL, as git does: a file with one is no text. Many formats have a line feed
 * before it.
 */
const TOLD_BY = 8_000

/** The beginning of a source. */
export interface Peeked {
  /** The first line, cut at 64 KiB. */
  readonly line: string
  /** Whether the source is not text. */
  readonly binary: boolean
  /** The source as if nothing had been read from it. */
  readonly source: AsyncIterable<Uint8Array>
}

/** Reads the beginning of a source without consuming it. */
export async function peekLine(source: AsyncIterable<Uint8Array>): Promise<Peeked> {
  const iterator = source[Symbol.asyncIterator]()
  const read: Uint8Array[] = []
  let bytes = 0
  while (bytes < LONGEST) {
    const next = await iterator.next()
    if (next.done === true) break
    read.push(next.value)
    bytes += next.value.byteLength
    if (next.value.includes(LINE_FEED)) break
  }
  const begun = Buffer.concat(read)
  const line = new TextDecoder().decode(begun).split('\n', 1)[0] ?? ''
  return { line, binary: begun.subarray(0, TOLD_BY).includes(0), source: continued(read, iterator) }
}

async function* continued(
  read: readonly Uint8Array[],
  iterator: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* read
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value
}
