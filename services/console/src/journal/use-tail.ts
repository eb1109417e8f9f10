import { useEffect, useState } from 'preact/hooks'
import { useVisible } from '../components/use-visible.ts'
import { createTail, type JournalTail, type TailState } from './journal-tail.ts'

/** The journal, followed while the tab is visible; the component renders again when it changes. */
export function useTail(): { readonly tail: JournalTail; readonly state: TailState; again(): void } {
  const [, setRevision] = useState(0)
  const [tries, setTries] = useState(0)
  const [tail] = useState(() => createTail(() => setRevision((revision) => revision + 1)))
  const visible = useVisible()
  useEffect(() => {
    if (!visible) return
    const ended = new AbortController()
    void tail.run(ended.signal)
    return () => ended.abort()
  }, [tail, visible, tries])
  return { tail, state: tail.state(), again: () => setTries(tries + 1) }
}
