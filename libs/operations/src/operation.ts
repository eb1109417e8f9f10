import type { Tables } from '@daybook/postgres/tables'
import type { Selectable } from 'kysely'

/*
 * Long work that an operator asks for. It is a row, so that whoever asked may go, whoever works may die, and anybody can see
 * how far it has come:
 *
 *   queued ──taken──▶ running ──▶ succeeded | failed | cancelled
 *                      │   ▲
 *                      └───┘ the process died or stopped: another takes it and goes on from its checkpoint
 */
export type OperationStatus = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled'

/** What there is to ask for. Each is worked on by a handler of the same name in `services/reindex`. */
export const OPERATION_TYPES = [
  'reindex',
  'verify',
  'verify-journal',
  'replay',
  'backfill',
  'retry-parked',
] as const
export type OperationType = (typeof OPERATION_TYPES)[number]

export type JsonObject = Readonly<Record<string, unknown>>

export interface Operation {
  readonly id: string
  readonly type: OperationType
  /** What it works on; null where it is about the journal. */
  readonly projection: string | null
  readonly options: JsonObject
  readonly status: OperationStatus
  /** What it is doing, in a word or two. */
  readonly phase: string
  readonly done: number
  /** Null while that is not known. */
  readonly total: number | null
  readonly result: JsonObject | null
  /** Why it failed; of one that is running, what it waits for. */
  readonly error: string | null
  readonly cancelRequested: boolean
  readonly requestedBy: string | null
  readonly createdAt: string
  readonly startedAt: string | null
  readonly updatedAt: string
  readonly finishedAt: string | null
}

export function toOperation(row: Selectable<Tables['operations']>): Operation {
  return {
    id: row.id,
    type: row.type as OperationType,
    projection: row.projection,
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
  }
}

/** Whether nothing more will happen to it. */
export const hasEnded = ({ status }: Pick<Operation, 'status'>): boolean =>
  status !== 'queued' && status !== 'running'
