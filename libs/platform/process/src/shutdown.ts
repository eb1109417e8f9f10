/** How a part of a process ends. */
export interface Ending {
  /** As people are told of one that does not end in time: `the gateway`. @default 'a part' */
  readonly part?: string
  /** Called once, before anything is stopped. */
  readonly begin?: () => void
  /** Called now and then once the stop has taken long: ends what others wait for, such as a long statement. */
  readonly hurry?: () => Promise<void>
  /** Called at the very end, where the process ends without having stopped it: leaves nothing behind. It must not wait. */
  readonly cut?: () => void
}

/** What has been started, so that it can be ended in the opposite order, whatever happens on the way. */
export interface Shutdown {
  add(stop: () => Promise<void> | void, ending?: Ending): void
  /** Ends everything, last started first, even where one fails. @throws the first failure, afterwards */
  run(): Promise<void>
  /** Ends what others wait for, of all parts that have not ended. Failures count as nothing to end. */
  hurry(): Promise<void>
  /** Leaves everything as it is. @returns the parts that have not ended, the one that is ending first */
  cut(): string[]
}

interface Started extends Ending {
  readonly stop: () => Promise<void> | void
}

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
