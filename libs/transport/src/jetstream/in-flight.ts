/** Limits what is in flight, in number and bytes, and remembers the first failure. */
export interface InFlight {
  /**
   * Resolves once there is room for so many bytes. Something larger than the limit goes alone.
   * @throws the failure
   */
  room(bytes: number): Promise<void>
  add(bytes: number, work: Promise<unknown>): void
  /** Resolves once everything has arrived. @throws the failure, at once */
  empty(): Promise<void>
  fail(error: unknown): void
}

/** Nothing is in flight at first. */
export function createInFlight(maxCount: number, maxBytes: number): InFlight {
  let count = 0
  let bytes = 0
  let failure: { readonly error: unknown } | null = null
  let wake: (() => void) | null = null

  const until = async (reached: () => boolean) => {
    // oxlint-disable-next-line no-unmodified-loop-condition -- `fail` sets it meanwhile
    while (failure === null && !reached())
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    if (failure !== null) throw failure.error
  }
  const fail = (error: unknown) => {
    failure ??= { error }
    wake?.()
  }

  return {
    fail,
    room: (more) => until(() => count === 0 || (count < maxCount && bytes + more <= maxBytes)),
    empty: () => until(() => count === 0),
    add(size, work) {
      count += 1
      bytes += size
      const arrived = () => {
        count -= 1
        bytes -= size
        wake?.()
      }
      work.then(arrived, fail)
    },
  }
}
