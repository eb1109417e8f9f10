import { useState } from 'preact/hooks'

/** A change that a button makes: at most one at a time, with what went wrong. */
export interface Change {
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
