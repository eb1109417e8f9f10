/** A result that the daemon gave: it must be in the journal for ever. */
export interface Acknowledgement {
  readonly operation: 'remember' | 'revise' | 'forget' | 'restore'
  /** As clients see it: `note:…`. */
  readonly memoryId: string
  readonly sequence: number
  readonly version: number
  readonly text: string
  readonly forgotten: boolean
  readonly duplicate: boolean
  readonly idempotencyKey: string | null
}

/** A remember or revise with the mark that it leaves in the memory's metadata, by which its event is recognised. */
export interface SentRequest {
  readonly mark: string
  readonly text: string
  readonly idempotencyKey: string | null
  /** `refused`: the daemon said no, so nothing may be written. `unknown`: no answer came, and it was not sent again. */
  outcome: 'under way' | 'acknowledged' | 'refused' | 'unknown'
}

/** What the clients of one data folder know for sure, over all rounds on it. */
export interface Ledger {
  readonly acknowledgements: Acknowledgement[]
  readonly requests: Map<string, SentRequest>
  /** The newest version that was acknowledged of each memory; clients choose what to change from it. */
  readonly memories: Map<string, { version: number; forgotten: boolean }>
  /** Answers that a correct daemon does not give. */
  readonly complaints: string[]
  /** Event ids by sequence as the last check found them: the past does not change. */
  eventIds: readonly string[]
  /** Requests sent again with the same key because no answer had come. */
  retried: number
  /** Of those, how many turned out to have been committed the first time. */
  duplicates: number
}

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

export function acknowledge(ledger: Ledger, acknowledgement: Acknowledgement): void {
  ledger.acknowledgements.push(acknowledgement)
  if (acknowledgement.duplicate) ledger.duplicates += 1
  const { memoryId, version, forgotten } = acknowledgement
  const known = ledger.memories.get(memoryId)
  if (known === undefined || known.version < version) ledger.memories.set(memoryId, { version, forgotten })
}
