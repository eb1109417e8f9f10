/*
 * What each type of operation is asked for, as the API writes it and the handlers read it. Absent choices are null, so that
 * the stored form says everything.
 */

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

export interface VerifyOptions {
  /** Null: all. */
  readonly projectId: string | null
  /** Only what has changed since the last verification that found everything right. */
  readonly incremental: boolean
  /** Whether what differs is written anew. */
  readonly repair: boolean
}

export interface VerifyJournalOptions {
  readonly projectId: string | null
  /** A place that was noted before, whose event must still have that hash (hex); null for none. */
  readonly noted: { readonly sequence: number; readonly hash: string } | null
}

export interface ReplayOptions {
  readonly projectId: string
  /** Sequences, both included. */
  readonly from: number
  readonly to: number
}

export interface RetryParkedOptions {
  readonly projectId: string | null
  /** Null: all that are parked. */
  readonly memoryIds: readonly string[] | null
}

export interface BackfillOptions {
  readonly projectId: string | null
}
