/** How a part of a process ends. */
export interface Ending {
  /** Its name in the message when it does not end in time: `the gateway`. @default 'a part' */
  readonly part?: string
  /** Called once, before anything is stopped. */
  readonly begin?: () => void
  /** Called from time to time once the stop takes long: ends what blocks others, such as a long statement. */
  readonly hurry?: () => Promise<void>
  /** Called at the very end if the part did not stop: leaves nothing behind. It must not wait. */
  readonly cut?: () => void
}

/** Everything that was started, to be ended in the opposite order whatever happens. */
export interface Shutdown {
  add(stop: () => Promise<void> | void, ending?: Ending): void
  /** Ends everything, the last started first, even if one fails. @throws the first failure, at the end */
  run(): Promise<void>
  /** Ends what blocks others, in all parts that have not ended. Failures are ignored. */
  hurry(): Promise<void>
  /** Gives up. @returns the parts that have not ended, beginning with the one that is ending now */
  cut(): string[]
}

interface Started extends Ending {
  readonly stop: () => Promise<void> | void
}

/** An empty list of parts. */
export function createShutdown(): Shutdown {
  const started: Started[] = []
  return {
    add: (stop, ending = {}) => void started.push({ stop, ...ending }),
    async run() {
      const failures: unknown[] = []
      for (const { begin } of started) begin?.()
      for (let last = started.at(-1); last !== undefined; last = started.at(-1)) {
        try {
          await last.stop()
        } catch (error) {
          failures.push(error)
        }
        started.splice(started.indexOf(last), 1)
      }
      if (failures.length > 0) throw failures[0]
    },
    async hurry() {
      await Promise.allSettled(started.map(({ hurry }) => hurry?.()))
    },
    cut() {
      for (const { cut } of started) cut?.()
      return started.map(({ part = 'a part' }) => part).toReversed()
    },
  }
}
