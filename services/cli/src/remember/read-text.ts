import { LIMITS } from '@daybook/memory/limits'
import { sizeInWords } from '@daybook/memory/size-in-words'
import { UsageError } from '../cli-error.ts'
import { note } from '../output/print.ts'

/** More bytes than any text may have. Longer input is refused before it fills the process's memory. */
const MOST_BYTES = 1024 * 1024

/** After this long without input, say that we wait for it: otherwise a forgotten text looks like a hang. */
const HINT_AFTER_MS = 2_000

/** Reads standard input as one text, without the line feed at its end. @throws UsageError */
export async function readText(input: AsyncIterable<Uint8Array>): Promise<string> {
  const hint = setTimeout(
    () => note('Waiting for the text on standard input (Ctrl-C leaves) …'),
    HINT_AFTER_MS,
  )
  try {
    const parts: Uint8Array[] = []
    let size = 0
    for await (const part of input) {
      clearTimeout(hint)
      size += part.byteLength
      if (size > MOST_BYTES)
        throw new UsageError(
          `The text on standard input is too long: the limit is ${sizeInWords(LIMITS.textBytes)}, and it has more than ${sizeInWords(MOST_BYTES)}`,
        )
      parts.push(part)
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts)).replace(/\r?\n$/u, '')
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError('The text on standard input is not UTF-8')
    throw error
  } finally {
    clearTimeout(hint)
  }
}
