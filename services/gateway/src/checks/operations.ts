import type { Operation } from '@daybook/operations/operation'
import { listOperations, listUntaken } from '@daybook/operations/read'
import { type CheckedParts, type Finding, failed, ok, warning } from './check.ts'

/** Milliseconds after which somebody should have taken an operation: the lease of a process that has died, and then some. */
const LATE_MS = 5_000

export async function checkOperations({ db }: CheckedParts): Promise<Finding> {
  return judgeOperations(
    await listUntaken(db, LATE_MS),
    await listOperations(db, { first: 20, active: true }),
  )
}

const named = ({ id, type, projection }: Operation) =>
  `${type}${projection === null ? '' : ` of ${projection}`} (${id})`

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
