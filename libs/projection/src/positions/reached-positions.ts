/** Lets consumers of the bus wait until the projection has reached the sequence of their message. */
export interface ReachedPositions {
  /** Resolves once the project's position has reached `sequence`. @throws if the projector stops before */
  wait(projectId: string, sequence: number): Promise<void>
  moved(projectId: string, position: number): void
  /** Rejects all remaining waits. */
  giveUp(): void
}

interface Waiter {
  readonly sequence: number
  resolve(): void
  reject(error: Error): void
}

/** Creates an empty set of waiters. */
export function createReachedPositions(): ReachedPositions {
  const waiting = new Map<string, Waiter[]>()
  return {
    wait: (projectId, sequence) =>
      new Promise((resolve, reject) => {
        const waiters = waiting.get(projectId) ?? []
        waiting.set(projectId, waiters)
        waiters.push({ sequence, resolve, reject })
      }),
    moved(projectId, position) {
      const waiters = waiting.get(projectId) ?? []
      const left = waiters.filter((waiter) => waiter.sequence > position)
      if (left.length === waiters.length) return
      if (left.length === 0) waiting.delete(projectId)
      else waiting.set(projectId, left)
      for (const waiter of waiters) if (waiter.sequence <= position) waiter.resolve()
    },
    giveUp() {
      for (const waiters of waiting.values())
        for (const waiter of waiters) waiter.reject(new Error('the projector stops'))
      waiting.clear()
    },
  }
}
