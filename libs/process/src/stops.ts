/** What has been started, so that it can be ended in the opposite order, whatever happens on the way. */
export interface Stops {
  add(stop: () => Promise<void> | void): void
  /** Ends everything, last started first, even where one fails. @throws the first failure, afterwards */
  run(): Promise<void>
}

export function createStops(): Stops {
  const stops: (() => Promise<void> | void)[] = []
  return {
    add: (stop) => void stops.push(stop),
    async run() {
      const failures: unknown[] = []
      for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) {
        try {
          await stop()
        } catch (error) {
          failures.push(error)
        }
      }
      if (failures.length > 0) throw failures[0]
    },
  }
}
