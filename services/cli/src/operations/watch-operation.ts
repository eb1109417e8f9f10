import { safeLine } from '@daybook/memory/safe-text'
import { hasEnded, listOperations, type Operation } from '../client/operations.ts'
import { type ProgressDisplay, showProgress } from '../progress/show-progress.ts'
import type { Connection } from '../settings.ts'
import { followOperation } from './follow-operation.ts'
import { operationName, operationProgress } from './operation-progress.ts'

/**
 * After this long in the queue, say why the operation waits, in milliseconds. A reindex service looks twice a
 * second.
 */
const QUEUED_LONG_MS = 3_000

/** Shows an operation's progress until it has ended. @returns the operation; null if the signal came first */
export async function watchOperation(
  connection: Connection,
  first: Operation,
  signal: AbortSignal,
): Promise<Operation | null> {
  const progress = await showProgress()
  let status = first.status
  const timer = setTimeout(() => {
    if (status === 'QUEUED') void sayWhyQueued(connection, first, progress)
  }, QUEUED_LONG_MS)
  try {
    return await followOperation(connection, first, {
      signal,
      onNotice: progress.say,
      onChange: (operation) => {
        status = operation.status
        // The caller prints the result of an ended operation; a line here would repeat it.
        if (!hasEnded(operation)) progress.update(operationProgress(operation))
      },
    })
  } finally {
    clearTimeout(timer)
    progress.stop()
  }
}

async function sayWhyQueued(
  connection: Connection,
  { id }: Operation,
  progress: ProgressDisplay,
): Promise<void> {
  // If this query fails, the watching goes on.
  const active = await listOperations(connection, { active: true }).catch(() => null)
  // It may have begun, or ended, since its last known state.
  const own = active?.find((one) => one.id === id)
  if (active === null || own === undefined || own.status === 'RUNNING') return
  const other = active.find((one) => one.id !== id && one.status === 'RUNNING')
  progress.say(
    other === undefined
      ? 'No reindex service seems to run: start one with  npm run start:reindex  (the daemon has one inside). It takes this up by itself.'
      : `It waits for the ${operationName(other)} (${safeLine(other.id)}) to end.`,
  )
}
