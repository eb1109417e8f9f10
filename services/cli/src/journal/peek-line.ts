const LINE_FEED = 0x0a

/** Bytes of the first line that are looked at: a header is far shorter. */
const LONGEST = 64 * 1024

/** The first line of a source, cut at 64 KiB, and the source as if nothing had been read from it. */
export async function peekLine(
  source: AsyncIterable<Uint8Array>,
): Promise<{ line: string; source: AsyncIterable<Uint8Array> }> {
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
  const text = new TextDecoder().decode(Buffer.concat(read))
  const line = text.split('\n', 1)[0] ?? ''
  return { line, source: continued(read, iterator) }
}

async function* continued(
  read: readonly Uint8Array[],
  iterator: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* read
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value
}
