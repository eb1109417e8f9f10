/**
 * Lets whoever waits for work have its failure. If something else fails meanwhile, nobody will wait: then that failure is
 * reported, and this one is not, nor does it end the process.
 */
function handled<Result>(work: Promise<Result>): Promise<Result> {
  work.catch(() => {})
  return work
}

/** Reads something once: the first call begins it, maybe without waiting, and all others get the same, or the same failure. */
export function once<Arguments extends readonly unknown[], Result>(
  read: (...given: Arguments) => Promise<Result>,
): (...given: Arguments) => Promise<Result> {
  let reading: Promise<Result> | undefined
  return (...given) => {
    reading ??= handled(read(...given))
    return reading
  }
}

/**
 * Reads several things by their keys, each once. A call begins those that none has begun, and waits for all that were.
 *
 * @param read one reading, of keys that differ
 * @param gather makes the answer to a call of all readings
 * @returns asks for keys, maybe without waiting. It throws what a reading threw
 */
export function eachOnce<Found, Result>(
  read: (keys: readonly string[]) => Promise<Found>,
  gather: (found: readonly Found[], keys: readonly string[]) => Result,
): (keys: Iterable<string>) => Promise<Result> {
  const begun = new Set<string>()
  const readings: Promise<Found>[] = []
  return (asked) => {
    const keys = [...asked]
    const others = [...new Set(keys)].filter((key) => !begun.has(key))
    for (const key of others) begun.add(key)
    if (others.length > 0) readings.push(handled(read(others)))
    return handled(Promise.all(readings).then((found) => gather(found, keys)))
  }
}
