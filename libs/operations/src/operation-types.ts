/*
 * What there is to ask for: of each type of operation what it is asked for with, as the API writes it, and what it ends with, as
 * its handler in `services/reindex` gives it. A new type is an entry of `Operations`, its name in `OPERATION_TYPES` and a handler.
 *
 * Absent choices are null, so that the stored form says everything.
 */

/** Every type of operation by its name. */
export interface Operations {
  readonly reindex: { readonly options: ReindexOptions; readonly result: RebuildResult | RewriteResult }
  readonly verify: { readonly options: VerifyOptions; readonly result: VerifyResult }
  readonly 'verify-journal': {
    readonly options: VerifyJournalOptions
    readonly result: VerifyJournalResult
  }
  readonly replay: { readonly options: ReplayOptions; readonly result: RewriteResult | PublishResult }
  readonly backfill: { readonly options: BackfillOptions; readonly result: BackfillResult }
  readonly 'retry-parked': { readonly options: RetryParkedOptions; readonly result: RetryParkedResult }
}

export type OperationType = keyof Operations
export type OptionsOf<Type extends OperationType> = Operations[Type]['options']
export type ResultOf<Type extends OperationType> = Operations[Type]['result']

/** Their names, for those who need them while the program runs: one that is forgotten here does not compile. */
export const OPERATION_TYPES = Object.keys({
  reindex: true,
  verify: true,
  'verify-journal': true,
  replay: true,
  backfill: true,
  'retry-parked': true,
} satisfies Record<OperationType, true>) as readonly OperationType[]

export interface ReindexOptions {
  /** Name or id of an embedding model; null for the live generation's. */
  readonly model: string | null
  /** Whether vectors that the embedding store has are made anew. */
  readonly regenerateEmbeddings: boolean
  /** Memories of these kinds are written anew in place; null: a new generation is built. */
  readonly kinds: readonly string[] | null
  /** The same for one project, whose parked events are tried again. */
  readonly projectId: string | null
  /** Whether a new generation is made live though it has parked events that the live one has applied. */
  readonly acceptParked: boolean
}

/** Of a reindex that made a new generation. */
export interface RebuildResult {
  /** The one that is live now. */
  readonly generation: number
  /** The embedding model whose vectors it holds. */
  readonly model: string
  /** Generations that are kept for a rollback. */
  readonly old: readonly number[]
}

/** Of work in place: memories were written anew into the live generation. */
export interface RewriteResult extends Partial<RetryParkedResult> {
  /** Absent where there is no live generation. */
  readonly generation?: number
  readonly rewritten: number
}

export interface VerifyOptions {
  /** Null: all. */
  readonly projectId: string | null
  /** Only what has changed since the last verification that found everything right. */
  readonly incremental: boolean
  /** Whether what differs is written anew. */
  readonly repair: boolean
}

export interface VerifyResult {
  /** The one compared; absent where there is no live generation. */
  readonly generation?: number
  /** Whether nothing differs and nothing is parked. */
  readonly clean: boolean
  /** Sums over the projects. */
  readonly parked?: number
  readonly different?: number
  readonly repaired?: number
  readonly projects: readonly VerifiedProject[]
}

/** What a verification found of one project. */
export interface VerifiedProject {
  readonly projectId: string
  readonly project: string
  /** The sequence up to which the journal was looked at. */
  readonly position: number
  /** Memories compared. */
  readonly memories: number
  readonly journalDigest: string
  readonly projectionDigest: string
  readonly different: number
  /** The first of them. */
  readonly differences: readonly { readonly memoryId: string; readonly differs: readonly string[] }[]
  readonly indexProblems: readonly string[]
  /** Memories whose vectors are still being made. */
  readonly pending: number
  /** Events that could not be applied and nobody has dropped: no difference, and still not what the journal says. */
  readonly parked: number
  /** Differences that were there and are no more. */
  readonly repaired: number
}

export interface VerifyJournalOptions {
  readonly projectId: string | null
  /** A place that was noted before, whose event must still have that hash (hex); null for none. */
  readonly noted: { readonly sequence: number; readonly hash: string } | null
}

export interface VerifyJournalResult {
  /** Whether every chain is whole. */
  readonly clean: boolean
  readonly projects: readonly VerifiedJournal[]
}

/** What was found of one project's journal. */
export interface VerifiedJournal {
  readonly projectId: string
  readonly project: string
  /** Of the last event looked at, with its hash in hex. */
  readonly sequence: number
  readonly head: string
  readonly events: number
  /** Of them, those whose data was erased. */
  readonly erased: number
  /** Problems found. */
  readonly count: number
  /** The first of them. */
  readonly problems: readonly {
    readonly kind: string
    readonly sequence: number
    readonly through: number
    readonly memoryId: string | null
    readonly message: string
  }[]
}

export interface ReplayOptions {
  readonly projectId: string
  /** Sequences, both included. */
  readonly from: number
  readonly to: number
}

/** Of a replay on the bus. */
export interface PublishResult {
  /** Events. */
  readonly published: number
}

export interface BackfillOptions {
  readonly projectId: string | null
}

/** Counts texts. */
export interface BackfillResult {
  /** Whose vector was made. */
  readonly done: number
  /** That had theirs already. */
  readonly skipped: number
  readonly failed: number
}

export interface RetryParkedOptions {
  readonly projectId: string | null
  /** Null: all that are parked. */
  readonly memoryIds: readonly string[] | null
}

/** Counts memories. */
export interface RetryParkedResult {
  /** That are up to date again. */
  readonly retried: number
  /** That stay parked. */
  readonly failed: number
}
