const LINE_FEED = 0x0a

/** Bytes of the first line that are looked at: a header is far shorter. */
const LONGEST = 64 * 1024

/** As far as git looks for a NUL byte: what has one is no text. Many formats have a line feed before their first. */
const TOLD_BY = 8_000

export interface Peeked {
  /** The first line, cut at 64 KiB. */
  readonly line: string
  /** Whether it begins as no text does. */
  readonly binary: boolean
  /** The source as if nothing had been read from it. */
  readonly source: AsyncIterable<Uint8Array>
}

/** Looks at how a source begins. */
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
