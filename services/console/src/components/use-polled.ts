import { useCallback, useEffect, useRef, useState } from 'preact/hooks'

/** The latest answer to something that is asked again and again. */
export interface Polled<Answer> {
  /** The last answer, also after a failure: nothing disappears. Null before the first. */
  readonly answer: Answer | null
  /** Why the last try failed; null if it did not. */
  readonly error: unknown
  /** Asks at once. */
  again(): void
}

/** How long to wait after a failure, in milliseconds. */
const AFTER_FAILURE_MS = 2_000

/**
 * Asks, waits, and asks again while the page can be seen: a tab in the background asks nothing. It goes on by itself after
 * a lost connection.
 * @param key another key asks something else at once; the answer before stays until then
 * @param pauseMs how long to wait after an answer, in milliseconds
 */
export function usePolled<Answer>(
  key: string,
  ask: (signal: AbortSignal) => Promise<Answer>,
  pauseMs: (answer: Answer) => number,
): Polled<Answer> {
  const [state, setState] = useState<{ readonly answer: Answer | null; readonly error: unknown }>({
    answer: null,
    error: null,
  })
  const waiting = useRef({ wake: () => undefined as void, askedAgain: false })
  useEffect(() => {
    const over = new AbortController()
    const rest = (ms: number) =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        waiting.current.wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    const wakeWhenSeen = () => {
      if (!document.hidden) waiting.current.wake()
    }
    document.addEventListener('visibilitychange', wakeWhenSeen)
    const go = async () => {
      while (!over.signal.aborted) {
        let pause = AFTER_FAILURE_MS
        waiting.current.askedAgain = false
        try {
          const answer = await ask(over.signal)
          if (over.signal.aborted) return
          setState({ answer, error: null })
          pause = pauseMs(answer)
        } catch (error) {
          if (over.signal.aborted) return
          setState((before) => ({ ...before, error }))
        }
        // An answer that was under way when `again` was called may be of the moment before.
        if (!waiting.current.askedAgain) await rest(pause)
        while (document.hidden && !over.signal.aborted) await rest(AFTER_FAILURE_MS)
      }
    }
    void go()
    return () => {
      over.abort()
      document.removeEventListener('visibilitychange', wakeWhenSeen)
      waiting.current.wake()
    }
    // `ask` and `pauseMs` are other functions at each render; the key says when they ask something else.
  }, [key])
  const again = useCallback(() => {
    waiting.current.askedAgain = true
    waiting.current.wake()
  }, [])
  return { ...state, again }
}
