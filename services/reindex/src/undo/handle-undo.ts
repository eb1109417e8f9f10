import type { AppendOutcome, AppendRequest } from '@daybook/journal/append/append-request'
import type { JournalWriter } from '@daybook/journal/append/journal-writer'
import { planUndo, type UndoItem } from '@daybook/journal/undo/plan-undo'
import { DaybookError } from '@daybook/memory/errors'
import type { Operation } from '@daybook/operations/operation'
import type { RefusedUndo, UndoResult } from '@daybook/operations/operation-types'
import type { OperationHandler } from '@daybook/operations/run-operations'
import { isWithheld, readWithheld } from '@daybook/pgvector/read/access'
import type { Database } from '@daybook/postgres/connect'
import { projectScope } from '@daybook/postgres/project-scope'

/** Memories undone in one transaction. Other appends of the project wait for it, some 20 ms. */
const BATCH = 200
/** Refused memories that the result names. */
const NAMED = 1_000

/**
 * Undoes what the operation's options select. It goes on from no checkpoint: the same options have the same plan, and
 * each memory has an idempotency key of this operation, so what was undone before a crash is only counted again.
 */
export function handleUndo(db: Database, writer: JournalWriter): OperationHandler<'undo'> {
  return {
    async run(work) {
      const { operation, signal } = work
      const { projectId, upTo, after, ...selection } = operation.options
      const scope = projectScope(db, projectId)
      await work.report({ phase: 'looking', done: 0, total: upTo - after })
      // Whoever may read the operation reads its result.
      const withheld = await readWithheld(scope.db)
      const plan = await planUndo(
        scope,
        { ...selection, after, upTo },
        (done) => work.report({ done }),
        (state) => !isWithheld(withheld, state),
      )
      const count = createCount()
      const items = plan.filter((item) => !count.refusedByPlan(item))
      await work.report({ phase: 'undoing', done: 0, total: items.length })
      for (let from = 0; from < items.length; from += BATCH) {
        signal.throwIfAborted()
        const batch = items.slice(from, from + BATCH)
        const requests = batch.map((item) => toRequest(operation, item))
        const outcomes = await writer.appendMany(scope, requests)
        for (const [index, item] of batch.entries()) count.appended(item, outcomes[index])
        // With a checkpoint it is saved at once: a cancelled undo says how far it came.
        const done = from + batch.length
        await work.report({ done, checkpoint: { done } })
      }
      return count.result()
    },
  }
}

function toRequest(operation: Operation<'undo'>, item: UndoItem): AppendRequest {
  const { memoryId, fromVersion, toVersion } = item
  return {
    command: { type: 'undo', id: memoryId, toVersion: toVersion ?? 0, expectedVersion: fromVersion },
    metadata: { actor: operation.requestedBy, correlationId: operation.id, causationId: null },
    idempotencyKey: `undo:${operation.id}:${memoryId}`,
  }
}

function createCount() {
  let undone = 0
  let unchanged = 0
  let refused = 0
  const refusals: RefusedUndo[] = []
  const refuse = ({ memoryId, id, title }: UndoItem, code: string, reason: string): void => {
    refused += 1
    if (refusals.length < NAMED) refusals.push({ memoryId: id ?? memoryId, title, code, reason })
  }
  return {
    /** Counts what the plan refuses. */
    refusedByPlan(item: UndoItem): boolean {
      if (item.refused !== null) refuse(item, item.refused.code, item.refused.reason)
      return item.refused !== null
    },
    appended(item: UndoItem, outcome: AppendOutcome | undefined): void {
      if (outcome === undefined) throw new Error('an append had no outcome')
      if ('error' in outcome) {
        const { error } = outcome
        if (!(error instanceof DaybookError)) throw error
        const changed = error.code === 'VERSION_CONFLICT'
        refuse(
          item,
          changed ? 'CHANGED_SINCE' : error.code,
          changed ? 'It was changed while the undo was at work' : error.message,
        )
      } else if (outcome.appended.memory.version > item.fromVersion) undone += 1
      else unchanged += 1
    },
    result: (): UndoResult => ({ undone, unchanged, refused, refusals }),
  }
}
