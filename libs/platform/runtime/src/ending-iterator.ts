/** An iterator that can be ended from outside. */
export interface EndingIterator<T> extends AsyncIterableIterator<T, undefined> {
  next(): Promise<IteratorResult<T, undefined>>
  return(): Promise<IteratorResult<T, undefined>>
  throw(error: unknown): Promise<IteratorResult<T, undefined>>
  /**
   * Ends it now, even while somebody waits for a value. With an error, the waiting or next caller gets that
   * error.
   */
  end(reason?: Error): void
}

/**
 * The values of a generator, with a `return()` that takes effect at once. A plain generator notices its end
 * only at its next `yield`, which may never come.
 *
 * @param generate gets a signal that is aborted at the end; it should stop waiting then
 * @param onOver called once the generator itself has ended
 */
export function endingIterator<T>(
  generate: (ended: AbortSignal) => AsyncGenerator<T, void>,
  onOver: () => void = () => {},
): EndingIterator<T> {
  const ended = new AbortController()
  const source = generate(ended.signal)
  // Racing every wait with one shared promise would leak a reaction per wait, so each wait has its own.
  const waiting = new Set<(woken: null) => void>()
  let failure: Error | null = null
  let over = false
  const done = { done: true, value: undefined } as const

  const noteOver = () => {
    if (!over) onOver()
    over = true
  }
  const last = () => {
    const error = failure
    failure = null
    if (error !== null) throw error
    return done
  }
  const end = (reason?: Error) => {
    if (ended.signal.aborted) return
    failure = reason ?? null
    ended.abort()
    for (const wake of waiting) wake(null)
    // Nobody is left to get an error of a generator that has been ended.
    void source.return().then(noteOver, noteOver)
  }

  const nextOrEnd = async () => {
    let wake: ((woken: null) => void) | undefined
    const woken = new Promise<null>((resolve) => {
      wake = resolve
      waiting.add(resolve)
    })
    try {
      const result = await Promise.race([source.next(), woken])
      if (result?.done === true) noteOver()
      return result
    } catch (error) {
      noteOver()
      throw error
    } finally {
      if (wake !== undefined) waiting.delete(wake)
    }
  }

  return {
    async next() {
      if (ended.signal.aborted) return last()
      const result = await nextOrEnd()
      if (result === null) return last()
      return result.done === true ? done : result
    },
    async return() {
      end()
      return done
    },
    async throw(error) {
      end()
      throw error
    },
    end,
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
