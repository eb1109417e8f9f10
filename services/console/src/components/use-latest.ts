import { useLayoutEffect, useRef, useState } from 'preact/hooks'

/** An answer, and whether it is the one to what is asked now. */
export interface Latest<Answer> {
  /** The last answer, also while the next one is awaited: nothing flickers. Null before the first. */
  readonly answer: Answer | null
  /** What the last answer answers: the `key`. */
  readonly answeredKey: string | null
  readonly error: unknown
  readonly waiting: boolean
  /** From asking to the answer, in milliseconds; null before the first. */
  readonly tookMs: number | null
}

/**
 * The least time between two changes of the question, in milliseconds, for the second to be asked at once; else it waits
 * that long for another one. So the first letter costs no wait, and a key that repeats costs no search each time.
 */
const DEBOUNCE_MS = 60

/**
 * Asks again whenever the key changes, and drops what has become stale: a question that is not sent yet, an answer
 * under way (its request is aborted), and an answer that comes late all the same.
 * @param key names the question; null: nothing is asked
 * @param again another number asks the same once more
 */
export function useLatest<Answer>(
  key: string | null,
  ask: (signal: AbortSignal) => Promise<Answer>,
  again = 0,
): Latest<Answer> {
  const [latest, setLatest] = useState<Latest<Answer>>({
    answer: null,
    answeredKey: null,
    error: null,
    waiting: key !== null,
    tookMs: null,
  })
  const changedAt = useRef(Number.NEGATIVE_INFINITY)
  // Before the next frame is painted: `useEffect` would ask a frame later.
  useLayoutEffect(() => {
    const isFirst = performance.now() - changedAt.current > DEBOUNCE_MS
    changedAt.current = performance.now()
    if (key === null) {
      setLatest({ answer: null, answeredKey: null, error: null, waiting: false, tookMs: null })
      return
    }
    const stale = new AbortController()
    setLatest((before) => ({ ...before, waiting: true }))
    const askNow = async () => {
      const begun = performance.now()
      try {
        const answer = await ask(stale.signal)
        if (stale.signal.aborted) return
        setLatest({
          answer,
          answeredKey: key,
          error: null,
          waiting: false,
          tookMs: performance.now() - begun,
        })
      } catch (error) {
        if (!stale.signal.aborted) setLatest((before) => ({ ...before, error, waiting: false }))
      }
    }
    if (isFirst) {
      void askNow()
      return () => stale.abort()
    }
    const timer = setTimeout(askNow, DEBOUNCE_MS)
    return () => {
      clearTimeout(timer)
      stale.abort()
    }
    // `ask` is another function at each render; the key says when it asks something else.
  }, [key, again])
  return latest
}
