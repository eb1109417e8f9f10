/** A document that an import may fail on: the reason, or null to take it. */
export type FailLine = (document: Readonly<Record<string, unknown>>) => string | null

/** What a test can make the double do. Each holds until it is changed. */
export interface Faults {
  /** No one listens any more, and open connections are cut. `accept` listens again, on the same port. */
  refuse(): Promise<void>
  accept(): Promise<void>
  /** Every answer comes this much later, in milliseconds; 0 for at once. */
  slow(milliseconds: number): void
  /** 503 "Not Ready or Lagging" to everything, as while the real server replays its log. */
  notReady(on: boolean): void
  /** Fails single lines of imports, inside an answer of 200. */
  failLines(predicate: FailLine | null): void
  /** Collections, aliases and keys are gone, as after the loss of its disk. */
  loseEverything(): void
}

export interface FaultState {
  slowBy: number
  isNotReady: boolean
  failingLine: FailLine
}

export const noFaults = (): FaultState => ({ slowBy: 0, isNotReady: false, failingLine: () => null })
