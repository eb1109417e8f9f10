import { useEffect, useState } from 'preact/hooks'
import type { JournalEvent } from '../api/events.ts'
import { listen } from '../api/listen.ts'
import { refresh } from '../api/refresh.ts'
import { useVisible } from '../components/use-visible.ts'

/** The sequence of the last event of a memory since the page was opened; null before there is one. @param id with its kind */
export function useLiveMemory(id: string): number | null {
  const [sequence, setSequence] = useState<number | null>(null)
  const visible = useVisible()
  useEffect(() => {
    if (!visible) return
    const ended = new AbortController()
    const take = (event: JournalEvent | null) => {
      if (event !== null && isOf(event.memoryId, id)) return setSequence(event.sequence)
      if (event !== null) return
      // The journal may never have the sequence again.
      setSequence(null)
      refresh()
    }
    // Without it the page is as new as its last look, and that look said what is wrong.
    listen(ended.signal, take).catch(() => undefined)
    return () => ended.abort()
  }, [id, visible])
  return sequence
}

/** Ids may be given, and are at times told, without the kind. */
const isOf = (told: string, id: string): boolean => plain(told) === plain(id)
const plain = (id: string): string => id.slice(id.indexOf(':') + 1).toLowerCase()
