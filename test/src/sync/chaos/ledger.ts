/** What was written, by whom, and what came of it. */
export interface Write {
  /** In the memory's metadata, if the write says what the memory holds; it names the write in the journal. */
  readonly mark: string | null
  readonly key: string | null
  /** `note` remembers what has no identity but its id. */
  readonly type: 'note' | 'remember' | 'revise' | 'forget' | 'restore'
  /** The daemon that was asked. */
  readonly node: number
  /** The plain id; of a new memory, once it is known. */
  memoryId: string | null
  /** For a revision: what its writer saw, at the same daemon. */
  readonly base: { readonly version: number; readonly mark: string | null } | null
  /** `unknown`: no answer came, and it could not be asked again. */
  outcome: 'under way' | 'acknowledged' | 'refused' | 'unknown'
  /** Whether the receipt was the home's. */
  shared: boolean
  /** How often it was sent. */
  attempts: number
  /** Whether a check has found it in the journal, with an event or as a command that changed nothing. */
  found?: 'event' | 'nothing'
}

/** A memory that somebody was told of. */
export interface KnownMemory {
  /** As the API shows it: `note:…`. */
  readonly id: string
  /** What erasures may take. The others have identities, by which the home may find that two are one. */
  readonly erasable: boolean
}

/** What is known for certain. */
export interface Ledger {
  readonly writes: Write[]
  readonly memories: KnownMemory[]
  /** Plain ids of memories whose erasure was asked for. What was written of them may be gone. */
  readonly erased: Set<string>
  /** Answers that a correct daemon does not give. */
  readonly complaints: string[]
  /** Whether the home has moved: what changed nothing has no event, so its key stays where it was decided. */
  hasMoved: boolean
  readonly counts: Counts
  /** Milliseconds of each read that no fault of its daemon fell into. */
  readonly readMs: number[]
}

/** What a run amounts to. */
export interface Counts {
  acknowledged: number
  /** Of those: into a branch. */
  offline: number
  refused: number
  retried: number
  erasures: number
  slowestWriteMs: number
  partitions: number
  freezes: number
  cuts: number
  kills: number
  stops: number
  handOvers: number
  handOversRefused: number
  lostHomes: number
  conflicts: number
  conflictsExpected: number
}

/** Creates an empty ledger. */
export function createLedger(): Ledger {
  return {
    writes: [],
    memories: [],
    erased: new Set(),
    complaints: [],
    hasMoved: false,
    readMs: [],
    counts: {
      acknowledged: 0,
      offline: 0,
      refused: 0,
      retried: 0,
      erasures: 0,
      slowestWriteMs: 0,
      partitions: 0,
      freezes: 0,
      cuts: 0,
      kills: 0,
      stops: 0,
      handOvers: 0,
      handOversRefused: 0,
      lostHomes: 0,
      conflicts: 0,
      conflictsExpected: 0,
    },
  }
}

/** The UUID of `note:<uuid>`. */
export const plainId = (id: string): string => id.slice(id.indexOf(':') + 1)
