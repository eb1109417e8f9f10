/** Lets those who brought news of a place in a project's journal hear that the projection has got there. */
export interface ReachedPositions {
  /** Resolves once the project's position is at `sequence` or beyond. @throws where the projector stops before */
  wait(projectId: string, sequence: number): Promise<void>
  moved(projectId: string, position: number): void
  /** Lets all go that still wait. */
  giveUp(): void
}

interface Waiter {
  readonly sequence: number
  resolve(): void
  reject(error: Error): void
}

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
