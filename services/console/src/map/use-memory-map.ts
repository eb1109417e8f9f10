import { useCallback, useEffect, useState } from 'preact/hooks'
import { cancelMap, type MemoryMap, makeMap, readMemoryMap, readProgress } from '../api/memory-map.ts'

/** How often to look how far the making is, in milliseconds. */
const LOOK_MS = 400

/** The map, and its making, which goes on also if nobody looks. */
export interface ShownMap {
  /** Null before the first answer. */
  readonly map: MemoryMap | null
  /** What is making a map now; null: nothing. */
  readonly making: MemoryMap['operation']
  readonly error: unknown
  make(): void
  cancel(): void
  reload(): void
}

/** Reads the map, and follows the making of one to its end. */
export function useMemoryMap(): ShownMap {
  const [map, setMap] = useState<MemoryMap | null>(null)
  const [making, setMaking] = useState<MemoryMap['operation']>(null)
  const [error, setError] = useState<unknown>(null)
  const load = useCallback(async (signal?: AbortSignal) => {
    try {
      const found = await readMemoryMap(signal)
      if (signal?.aborted === true) return
      setMap(found)
      setMaking(found.operation)
      setError(null)
    } catch (failure) {
      if (signal?.aborted !== true) setError(failure)
    }
  }, [])
  useEffect(() => {
    const left = new AbortController()
    void load(left.signal)
    return () => left.abort()
  }, [load])

  const id = making?.id
  useEffect(() => {
    if (id === undefined) return
    const left = new AbortController()
    const look = async () => {
      try {
        const now = await readProgress(id, left.signal)
        if (left.signal.aborted) return
        const isUnderWay = now?.status === 'QUEUED' || now?.status === 'RUNNING'
        if (isUnderWay) return setMaking(now)
        await load(left.signal)
        if (now?.status === 'FAILED') setError(new Error(now.error ?? 'The map could not be made'))
      } catch {
        // The connection may come back; the operation goes on without it.
      }
    }
    const timer = setInterval(() => void look(), LOOK_MS)
    return () => {
      clearInterval(timer)
      left.abort()
    }
  }, [id, load])

  const attempt = (work: () => Promise<void>) => {
    setError(null)
    work().catch(setError)
  }
  return {
    map,
    making,
    error,
    make: () => attempt(async () => setMaking(await makeMap())),
    cancel: () => attempt(async () => (id === undefined ? undefined : cancelMap(id))),
    reload: () => void load(),
  }
}
