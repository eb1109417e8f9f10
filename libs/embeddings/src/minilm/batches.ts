/** Something to put through the model, as token ids. */
export interface Tokenised {
  readonly ids: readonly number[]
}

/** The limits of one batch. */
export interface BatchLimits {
  /** Most tokens in a batch, including padding: texts × longest text. */
  readonly maxPaddedTokens: number
  readonly maxTexts: number
}

/**
 * Groups texts into batches of similar length, the longest first. In a batch every text is padded to the
 * longest one, and padding costs as much as text. Sorting by length avoids nearly all of it
 * (docs/measurements.md#padding-of-embedding-batches).
 *
 * A text over `maxPaddedTokens` gets its own batch.
 */
export function planBatches<T extends Tokenised>(items: readonly T[], limits: BatchLimits): T[][] {
  const batches: T[][] = []
  let batch: T[] = []
  for (const item of items.toSorted((a, b) => b.ids.length - a.ids.length)) {
    const longest = batch[0]?.ids.length ?? item.ids.length
    const isFull = batch.length >= limits.maxTexts || (batch.length + 1) * longest > limits.maxPaddedTokens
    if (batch.length > 0 && isFull) {
      batches.push(batch)
      batch = []
    }
    batch.push(item)
  }
  if (batch.length > 0) batches.push(batch)
  return batches
}
