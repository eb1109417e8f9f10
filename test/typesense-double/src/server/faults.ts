/** Decides whether an import fails on a document: returns the reason, or null to accept it. */
export type FailLine = (document: Readonly<Record<string, unknown>>) => string | null

/** The faults that a test can inject. Each lasts until it is changed. */
export interface Faults {
  /** `refuse` stops listening and cuts open connections. `accept` listens again on the same port. */
  refuse(): Promise<void>
  accept(): Promise<void>
  /** Delays every answer by this many milliseconds; 0 ends the delay. */
  slow(milliseconds: number): void
  /** Answers everything with 503 "Not Ready or Lagging", as the real server does while it replays its log. */
  notReady(on: boolean): void
  /** Makes single lines of imports fail inside an answer of 200. */
  failLines(predicate: FailLine | null): void
  /** Deletes all collections, aliases and keys, as if the disk were lost. */
  loseEverything(): void
}

/** The faults that are active now. */
export interface FaultState {
  slowBy: number
  isNotReady: boolean
  failingLine: FailLine
}

/** The state without any fault. */
export const noFaults = (): FaultState => ({ slowBy: 0, isNotReady: false, failingLine: () => null })
