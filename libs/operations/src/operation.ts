import type { Tables } from '@daybook/postgres/tables'
import { type Selectable, sql } from 'kysely'
import type { OperationType, OptionsOf, ResultOf } from './operation-types.ts'

/**
 * Long work that an operator asks for. It is a row, so that the operator may leave, the worker may die, and
 * anybody can see its progress:
 *
 *   queued ──taken──▶ running ──▶ succeeded | failed | cancelled
 *                      │   ▲
 *                      └───┘ the process died or stopped: another takes it and continues from its checkpoint
 */
export type OperationStatus = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled'

/** A JSON object whose fields are not known statically. */
export type JsonObject = Readonly<Record<string, unknown>>

/**
 * An operation of one of these types, by default of any. Its `type` tells which options and result it has.
 */
export type Operation<Type extends OperationType = OperationType> = {
  readonly [Each in Type]: OperationOf<Each>
}[Type]

interface OperationOf<Type extends OperationType> {
  readonly id: string
  readonly type: Type
  /** The projection that it works on; null if it is about the journal. */
  readonly projection: string | null
  /** The project that it belongs to, whose keys may see it; null if only those who run Daybook may. */
  readonly projectId: string | null
  readonly options: OptionsOf<Type>
  readonly status: OperationStatus
  /** What it is doing, in a word or two. */
  readonly phase: string
  readonly done: number
  /** Null while unknown. */
  readonly total: number | null
  readonly result: ResultOf<Type> | null
  /** Why it failed; while it runs, what it waits for. */
  readonly error: string | null
  readonly cancelRequested: boolean
  readonly requestedBy: string | null
  readonly createdAt: string
  readonly startedAt: string | null
  readonly updatedAt: string
  readonly finishedAt: string | null
}

/** An operation from its row. `requestOperation` wrote the options of its type, `finishOperation` the result. */
export const toOperation = (row: Selectable<Tables['operations']>): Operation =>
  ({
    id: row.id,
    type: row.type,
    projection: row.projection,
    projectId: row.project_id,
    options: row.options,
    status: row.status,
    phase: row.phase,
    done: row.done,
    total: row.total,
    result: row.result,
    error: row.error,
    cancelRequested: row.cancel_requested,
    requestedBy: row.requested_by,
    createdAt: row.created_at,
    startedAt: row.started_at,
    updatedAt: row.updated_at,
    finishedAt: row.finished_at,
  }) satisfies Record<keyof Operation, unknown> as Operation

/** Whether nothing more will happen to it. */
export const hasEnded = ({ status }: Pick<Operation, 'status'>): boolean =>
  status !== 'queued' && status !== 'running'

/**
 * What an ended operation keeps of its options. What an undo selected goes: it quotes memories, which may be erased later,
 * and nobody reads it after the end.
 */
export const KEPT_OPTIONS = sql<never>`options - '{filter,writer,actor,correlationId}'::text[]`
