import { useEffect } from 'preact/hooks'
import { listen } from '../api/listen.ts'
import { refresh } from '../api/refresh.ts'
import { useVisible } from '../components/use-visible.ts'

/** How long after an event the lists ask again, in milliseconds: it is in the index by then, and many events cost one look. */
const AFTER_MS = 1_000

/** Lets the lists on the screen ask again when something happens in the project. @param on whether they show now, not the past */
export function useLiveRefresh(on: boolean): void {
  const visible = useVisible()
  useEffect(() => {
    if (!on || !visible) return
    const ended = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const soon = () => {
      timer ??= setTimeout(() => {
        timer = undefined
        refresh()
      }, AFTER_MS)
    }
    // Without it the list is as new as its last look, and that look said what is wrong.
    listen(ended.signal, soon).catch(() => undefined)
    return () => {
      ended.abort()
      clearTimeout(timer)
    }
  }, [on, visible])
}
