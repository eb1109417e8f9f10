/** Runs work with the same key one after another, first come, first served. */
export interface KeyedMutex {
  take<T>(what: string, turn: () => Promise<T>): Promise<T>
}

/** Creates a mutex without any holder. */
export function createKeyedMutex(): KeyedMutex {
  const last = new Map<string, Promise<unknown>>()
  return {
    async take(what, turn) {
      const before = last.get(what) ?? Promise.resolve()
      const mine = before.then(turn)
      const settled = mine.catch(() => {})
      last.set(what, settled)
      try {
        return await mine
      } finally {
        if (last.get(what) === settled) last.delete(what)
      }
    },
  }
}
