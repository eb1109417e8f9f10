import { useEffect, useState } from 'preact/hooks'
import { refresh } from '../api/refresh.ts'
import { readUndo, type UndoOperation } from '../api/undo.ts'

/** How often one looks, in milliseconds. An undo of a thousand memories takes some seconds. */
const LOOK_MS = 400

/** Whether an undo is neither queued nor running any more. */
export const hasEnded = ({ status }: UndoOperation): boolean => status !== 'QUEUED' && status !== 'RUNNING'

/** An undo as it goes on, until it has ended. A look that fails is made again. */
export function useUndoProgress(begun: UndoOperation): UndoOperation {
  const [operation, setOperation] = useState(begun)
  const ended = hasEnded(operation)
  useEffect(() => {
    if (ended) return
    const stale = new AbortController()
    const look = async () => {
      const found = await readUndo(begun.id, stale.signal)
      if (stale.signal.aborted || found === null) return
      setOperation(found)
      if (hasEnded(found)) refresh()
    }
    const timer = setInterval(() => {
      look().catch(() => undefined)
    }, LOOK_MS)
    return () => {
      stale.abort()
      clearInterval(timer)
    }
  }, [begun.id, ended])
  return operation
}
