import type { Operation } from '@daybook/operations/operation'
import { listOperations, listUntaken } from '@daybook/operations/read'
import { type CheckedParts, type Finding, failed, ok, warning } from './check.ts'

/**
 * A queued operation should be taken within this time, in milliseconds: a dead process's lease, and some
 * more.
 */
const LATE_MS = 5_000

/** Checks that somebody works on the operations under way. */
export async function checkOperations({ db }: CheckedParts): Promise<Finding> {
  return judgeOperations(
    await listUntaken(db, LATE_MS),
    await listOperations(db, { first: 20, active: true }),
  )
}

const named = ({ id, type, projection }: Operation) =>
  `${type}${projection === null ? '' : ` of ${projection}`} (${id})`

/** Judges operations. @param untaken those that wait too long for a process */
export function judgeOperations(untaken: readonly Operation[], active: readonly Operation[]): Finding {
  if (untaken.length > 0)
    return failed(
      `Nobody works on ${untaken.map(named).join(', ')}`,
      'Start the reindex service:  npm run start:reindex  (the daemon has one inside)',
    )
  const waiting = active.filter(({ status, error }) => status === 'running' && error !== null)
  if (waiting.length > 0)
    return warning(
      waiting.map((one) => `${named(one)}: ${one.error}`).join('; '),
      'It goes on by itself once that is there',
    )
  return active.length === 0
    ? ok('None is under way')
    : ok(`Under way: ${active.map((one) => `${named(one)}, ${one.phase}`).join('; ')}`)
}
