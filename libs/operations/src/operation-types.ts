import type { MemoryFilter } from '@daybook/memory/filter'
import type { WriterSelection } from '@daybook/memory/undo'

/*
 * What operators can ask for: for each type of operation the options, as the API writes them, and the result,
 * as its handler in `services/reindex` returns it. A new type is an entry of `Operations`, its name in
 * `OPERATION_TYPES` and a handler.
 *
 * Options that were not chosen are null, so that the stored form is complete.
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
  readonly undo: { readonly options: UndoOptions; readonly result: UndoResult }
  readonly 'map-memories': { readonly options: MapMemoriesOptions; readonly result: MapMemoriesResult }
  readonly 'delete-project': {
    readonly options: DeleteProjectOptions
    readonly result: DeleteProjectResult
  }
}

/** The name of a type of operation. */
export type OperationType = keyof Operations
/** The options of a type of operation. */
export type OptionsOf<Type extends OperationType> = Operations[Type]['options']
/** The result of a type of operation. */
export type ResultOf<Type extends OperationType> = Operations[Type]['result']

/** The names of all types, for use at run time. A name missing here does not compile. */
export const OPERATION_TYPES = Object.keys({
  reindex: true,
  verify: true,
  'verify-journal': true,
  replay: true,
  backfill: true,
  'retry-parked': true,
  undo: true,
  'map-memories': true,
  'delete-project': true,
} satisfies Record<OperationType, true>) as readonly OperationType[]

/** The options of a reindex. */
export interface ReindexOptions {
  /** Name or id of an embedding model; null for the live generation's. */
  readonly model: string | null
  /** Whether to recompute vectors that the embedding store has. */
  readonly regenerateEmbeddings: boolean
  /** Rewrites memories of these kinds in place; null: builds a new generation. */
  readonly kinds: readonly string[] | null
  /** Rewrites one project in place and retries its parked events; null: all projects. */
  readonly projectId: string | null
  /** Whether a new generation becomes live even if it has parked events that the live one has applied. */
  readonly acceptParked: boolean
}

/** The result of a reindex that made a new generation. */
export interface RebuildResult {
  /** The generation that is live now. */
  readonly generation: number
  /** The embedding model whose vectors it holds. */
  readonly model: string
  /** Generations kept for a rollback. */
  readonly old: readonly number[]
}

/** The result of work in place: memories were rewritten in the live generation. */
export interface RewriteResult extends Partial<RetryParkedResult> {
  /** Absent if there is no live generation. */
  readonly generation?: number
  readonly rewritten: number
}

/** The options of a verification. */
export interface VerifyOptions {
  /** Null: all projects. */
  readonly projectId: string | null
  /** Checks only what has changed since the last verification that found everything right. */
  readonly incremental: boolean
  /** Whether to rewrite what differs. */
  readonly repair: boolean
}

/** The result of a verification. */
export interface VerifyResult {
  /** The generation that was compared; absent if there is no live one. */
  readonly generation?: number
  /** Whether nothing differs and nothing is parked. */
  readonly clean: boolean
  /** Sums over all projects, as are the next two. */
  readonly parked?: number
  readonly different?: number
  readonly repaired?: number
  readonly projects: readonly VerifiedProject[]
}

/** What a verification found of one project. */
export interface VerifiedProject {
  readonly projectId: string
  readonly project: string
  /** The sequence up to which the journal was checked. */
  readonly position: number
  /** Memories compared. */
  readonly memories: number
  readonly journalDigest: string
  readonly projectionDigest: string
  readonly different: number
  /** The first differences. */
  readonly differences: readonly { readonly memoryId: string; readonly differs: readonly string[] }[]
  readonly indexProblems: readonly string[]
  /** Memories whose vectors are still being made. */
  readonly pending: number
  /**
   * Events that could not be applied and that nobody has dropped. They count separately from differences, but
   * they too mean that the projection does not match the journal.
   */
  readonly parked: number
  /** Differences that were repaired. */
  readonly repaired: number
}

/** The options of a verification of journals. */
export interface VerifyJournalOptions {
  readonly projectId: string | null
  /** A cursor that was noted earlier; the event there must still have that hash (hex). Null for none. */
  readonly noted: { readonly sequence: number; readonly hash: string } | null
}

/** The result of a verification of journals. */
export interface VerifyJournalResult {
  /** Whether every chain is whole. */
  readonly clean: boolean
  readonly projects: readonly VerifiedJournal[]
}

/** What was found in one project's journal. */
export interface VerifiedJournal {
  readonly projectId: string
  readonly project: string
  /** The sequence of the last event checked; `head` is its hash in hex. */
  readonly sequence: number
  readonly head: string
  readonly events: number
  /** How many of those are erased. */
  readonly erased: number
  /** How many problems were found. */
  readonly count: number
  /** The first problems. */
  readonly problems: readonly {
    readonly kind: string
    readonly sequence: number
    readonly through: number
    readonly memoryId: string | null
    readonly message: string
  }[]
}

/** The options of a replay. */
export interface ReplayOptions {
  readonly projectId: string
  /** The first and last sequence, both included. */
  readonly from: number
  readonly to: number
}

/** The result of a replay on the bus. */
export interface PublishResult {
  /** How many events were published. */
  readonly published: number
}

/** The options of a backfill; without a project, it covers all. */
export interface BackfillOptions {
  readonly projectId: string | null
}

/** The result of a backfill, in texts. */
export interface BackfillResult {
  /** Texts whose vector was computed. */
  readonly done: number
  /** Texts that already had their vector. */
  readonly skipped: number
  readonly failed: number
}

/** The options of a retry of parked events. */
export interface RetryParkedOptions {
  readonly projectId: string | null
  /** Null: all that have parked events. */
  readonly memoryIds: readonly string[] | null
}

/** The result of a retry, in memories. */
export interface RetryParkedResult {
  /** Memories that are up to date again. */
  readonly retried: number
  /** Memories that stay parked. */
  readonly failed: number
}

/**
 * The options of an undo: what the API was asked for, and the part of the journal that it means. Once it has ended, only the
 * latter (`KEPT_OPTIONS`).
 */
export interface UndoOptions {
  readonly projectId: string
  readonly filter: MemoryFilter
  readonly actor: string | null
  readonly correlationId: string | null
  /** Absent in undos that are older than the field. */
  readonly writer?: WriterSelection | null
  /** RFC 3339; events from then on are undone. */
  readonly since: string
  /** The last sequence before that moment. */
  readonly after: number
  /** The journal's end when the undo was asked for. */
  readonly upTo: number
}

/** The result of an undo, in memories. Its events have the operation's id as their correlation id. */
export interface UndoResult {
  /** Memories that were forgotten or went back to an earlier version. */
  readonly undone: number
  /** Memories that were as they should be by then. */
  readonly unchanged: number
  readonly refused: number
  /** The first of the refused ones. */
  readonly refusals: readonly RefusedUndo[]
}

/** A memory that was not undone. */
export interface RefusedUndo {
  /** With its kind, where that is known. */
  readonly memoryId: string
  readonly title: string | null
  readonly code: string
  readonly reason: string
}

/** The options of making a map of a project's memories. */
export interface MapMemoriesOptions {
  readonly projectId: string
}

/** The result of making a map. */
export interface MapMemoriesResult {
  /** How many memories are on it. */
  readonly memories: number
  /** Memories of the generation that are not: the oldest of very many, and those without a vector. */
  readonly left: number
  /** The generation whose vectors it shows. */
  readonly generation: number
}

/** The options of the removal of what a deleted project held. */
export interface DeleteProjectOptions {
  readonly projectId: string
}

/** The result of a removal. */
export interface DeleteProjectResult {
  /** How many events the journal had. */
  readonly events: number
}
