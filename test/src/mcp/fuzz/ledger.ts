/** A write of a memory that a client was told of. */
export interface Told {
  readonly memoryId: string
  readonly version: number
  /** What the call was, for messages. */
  readonly of: string
}

/** What the clients of one project know. */
export interface Ledger {
  readonly told: Told[]
  /** By the mark of what was to be written. `unknown`: no answer came. */
  readonly marks: Map<string, 'told' | 'refused' | 'unknown'>
}

/** A ledger of clients that know nothing yet. */
export const createLedger = (): Ledger => ({ told: [], marks: new Map() })
