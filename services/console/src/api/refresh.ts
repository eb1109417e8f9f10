import { useEffect, useState } from 'preact/hooks'

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
