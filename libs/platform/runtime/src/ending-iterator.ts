/** An iterator that can be ended from outside. */
export interface EndingIterator<T> extends AsyncIterableIterator<T, undefined> {
  next(): Promise<IteratorResult<T, undefined>>
  return(): Promise<IteratorResult<T, undefined>>
  throw(error: unknown): Promise<IteratorResult<T, undefined>>
  /** Ends it now, also while a value is waited for. With an error whoever waits, or asks next, gets that. */
  end(reason?: Error): void
}

/**
 * The values of a generator, where `return()` takes effect at once. A plain generator that waits hears of its end at its next
 * `yield` only, which may never come.
 *
 * @param generate gets a signal that is aborted at the end: it is to stop waiting then
 * @param onOver is called once the generator itself has ended and works no more
 */
export function endingIterator<T>(
  generate: (ended: AbortSignal) => AsyncGenerator<T, void>,
  onOver: () => void = () => {},
): EndingIterator<T> {
  const ended = new AbortController()
  const source = generate(ended.signal)
  // One promise that every wait is raced with would keep a reaction of each of them: each has its own.
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
    // Nobody is there to hear what fails in a generator that has been ended.
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
