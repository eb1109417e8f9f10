import { useEffect } from 'preact/hooks'
import { refresh } from '../api/refresh.ts'
import { useVisible } from './use-visible.ts'

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
