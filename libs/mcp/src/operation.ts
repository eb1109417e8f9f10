import { setTimeout as pause } from 'node:timers/promises'
import { graphql, type ResultOf } from '@daybook/api/graphql'
import type { Session } from './session.ts'

/** The fields of an operation that tools report. */
export const OPERATION = graphql(
  'fragment McpOperation on Operation { id type status phase done total result error }',
)

/** Long work of Daybook. */
export type Operation = ResultOf<typeof OPERATION>

const READ = graphql('query McpOperationNow($id: ID!) { operation(id: $id) { ...McpOperation } }', [
  OPERATION,
])

/** Clients give a call of a tool 60 s as a rule; what takes longer goes on without it. Milliseconds. */
const [WAIT_MS, LOOK_MS] = [20_000, 200]

/** Waits until an operation has ended, at most 20 s. @returns it as it is then */
export async function waitForOperation(operation: Operation, session: Session): Promise<Operation> {
  const giveUpAt = Date.now() + WAIT_MS
  let now = operation
  while ((now.status === 'QUEUED' || now.status === 'RUNNING') && Date.now() < giveUpAt) {
    await pause(LOOK_MS)
    now = (await session.ask(READ, { id: operation.id })).operation ?? now
  }
  return now
}

/** Where an operation is, in words, and what to do next. */
export function operationLine({ id, status, phase, done, total, error }: Operation): string {
  if (status === 'FAILED')
    return `It failed: ${error ?? 'the log of the reindex service says why'} (operation ${id}).`
  if (status === 'CANCELLED') return `It was cancelled (operation ${id}).`
  if (status === 'SUCCEEDED') return `Done (operation ${id}).`
  const far = total === null ? `${done}` : `${done} of ${total}`
  return `It goes on by itself: ${phase}, ${far} (operation ${id}; daybook operations shows it).`
}
