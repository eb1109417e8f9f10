import type { RememberInput } from '../writes.ts'

/** A request holds at most 1 MiB and 500 memories; 100 a commit are near the best rate. */
const [BATCH_BYTES, BATCH_ITEMS] = [512 * 1024, 100]

/** Splits what is remembered into lists that fit a request each, in order. */
export function inBatches(inputs: readonly RememberInput[]): RememberInput[][] {
  const batches: RememberInput[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const input of inputs) {
    const size = new TextEncoder().encode(JSON.stringify(input)).length
    const last = batches.at(-1)
    if (last === undefined || last.length >= BATCH_ITEMS || bytes + size > BATCH_BYTES) {
      batches.push([input])
      bytes = size
    } else {
      last.push(input)
      bytes += size
    }
  }
  return batches
}
