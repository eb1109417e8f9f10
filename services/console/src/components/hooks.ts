import { createContext } from 'preact'
import { useCallback, useContext, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Session } from '../api/session.ts'

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

/** A change that a button makes: at most one at a time, with what went wrong. */
interface Change {
  readonly busy: boolean
  /** Null while nothing went wrong. */
  readonly error: unknown
  /** Makes it. Resolves to whether it was made; it never rejects. */
  run(make: () => Promise<void>): Promise<boolean>
}

/** Keeps the state of a change. */
export function useChange(): Change {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  return {
    busy,
    error,
    async run(make) {
      if (busy) return false
      setBusy(true)
      setError(null)
      try {
        await make()
        return true
      } catch (failure) {
        setError(failure)
        return false
      } finally {
        setBusy(false)
      }
    },
  }
}

/** The latest answer to something that is asked again and again. */
interface Polled<Answer> {
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

/** How often the colours have changed, by the theme or the system. Who draws on a canvas draws again then. */
export function useThemeChanges(): number {
  const [changes, setChanges] = useState(0)
  useEffect(() => {
    const note = () => setChanges((before) => before + 1)
    const chosen = new MutationObserver(note)
    chosen.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
    const system = matchMedia('(prefers-color-scheme: dark)')
    system.addEventListener('change', note)
    return () => {
      chosen.disconnect()
      system.removeEventListener('change', note)
    }
  }, [])
  return changes
}

/** Who is logged in, for what stands too deep in a page to be told. */
export const SessionContext = createContext<Session | null>(null)

/** Whether the session's key may write. */
export const useCanWrite = (): boolean => useContext(SessionContext)?.scopes.includes('write') ?? false

/** Whether the window is so wide now. The style has the same widths. @param least in CSS pixels */
export function useWide(least: number): boolean {
  const query = `(min-width: ${least}px)`
  const [wide, setWide] = useState(() => matchMedia(query).matches)
  useEffect(() => {
    const media = matchMedia(query)
    const note = () => setWide(media.matches)
    media.addEventListener('change', note)
    return () => media.removeEventListener('change', note)
  }, [query])
  return wide
}

/** How often to look, in milliseconds. */
const LOOK_MS = 2_000

/**
 * Lets the lists on the screen ask again while something on it is not shared yet: that it has reached its home is no
 * event of the journal.
 */
export function useUntilShared(memories: readonly { readonly shared: boolean }[]): void {
  const visible = useVisible()
  const waits = visible && memories.some(({ shared }) => !shared)
  useEffect(() => {
    if (!waits) return
    const timer = setInterval(refresh, LOOK_MS)
    return () => clearInterval(timer)
  }, [waits])
}

const isVisible = () => document.visibilityState === 'visible'

/** Whether somebody may be looking: not while the tab is in the background. */
export function useVisible(): boolean {
  const [visible, setVisible] = useState(isVisible)
  useEffect(() => {
    const update = () => setVisible(isVisible())
    document.addEventListener('visibilitychange', update)
    return () => document.removeEventListener('visibilitychange', update)
  }, [])
  return visible
}

let times = 0

const readers = new Set<(times: number) => void>()

/** Lets the lists on the screen ask again. Call it when a change can be found: it has been waited for (`atLeast`). */
export function refresh(): void {
  times += 1
  for (const tell of readers) tell(times)
}

/** How often `refresh` was called. The component renders again when it is. */
export function useRefreshes(): number {
  const [seen, setSeen] = useState(times)
  useEffect(() => {
    readers.add(setSeen)
    return () => void readers.delete(setSeen)
  }, [])
  return seen
}
