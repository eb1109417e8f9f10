/** A result that the daemon acknowledged. It must stay in the journal forever. */
export interface Acknowledgement {
  readonly operation: 'remember' | 'revise' | 'forget' | 'restore'
  /** The id that clients see: `note:…`. */
  readonly memoryId: string
  readonly sequence: number
  readonly version: number
  readonly text: string
  readonly forgotten: boolean
  readonly duplicate: boolean
  readonly idempotencyKey: string | null
}

/** A remember or revise, with the mark in the memory's metadata that identifies its event. */
export interface SentRequest {
  readonly mark: string
  readonly text: string
  readonly idempotencyKey: string | null
  /**
   * `refused`: the daemon refused it, so nothing may be written. `unknown`: no answer came, and it was not
   * repeated.
   */
  outcome: 'under way' | 'acknowledged' | 'refused' | 'unknown'
}

/** What the clients of one data folder know for certain, over all its rounds. */
export interface Ledger {
  readonly acknowledgements: Acknowledgement[]
  readonly requests: Map<string, SentRequest>
  /** The newest acknowledged version of each memory; clients choose from these what to change. */
  readonly memories: Map<string, { version: number; forgotten: boolean }>
  /** Answers that a correct daemon does not give. */
  readonly complaints: string[]
  /** Event ids by sequence, as the last check found them. They must not change. */
  eventIds: readonly string[]
  /** Requests repeated with the same key because no answer came. */
  retried: number
  /** How many of those had been committed the first time. */
  duplicates: number
}

/** Creates an empty ledger. */
export function createLedger(): Ledger {
  return {
    acknowledgements: [],
    requests: new Map(),
    memories: new Map(),
    complaints: [],
    eventIds: [],
    retried: 0,
    duplicates: 0,
  }
}

/** Notes an acknowledged result. */
export function acknowledge(ledger: Ledger, acknowledgement: Acknowledgement): void {
  ledger.acknowledgements.push(acknowledgement)
  if (acknowledgement.duplicate) ledger.duplicates += 1
  const { memoryId, version, forgotten } = acknowledgement
  const known = ledger.memories.get(memoryId)
  if (known === undefined || known.version < version) ledger.memories.set(memoryId, { version, forgotten })
}
