import { safeLine } from '@daybook/memory/safe-text'
import { CliError, UsageError } from '../cli-error.ts'
import {
  hasEnded,
  listOperations,
  type Operation,
  readOperation,
  requestOperation,
} from '../client/operations.ts'
import { EXIT } from '../exit-codes.ts'
import { note, print, printJson } from '../output/print.ts'
import { spoken } from '../output/spoken.ts'
import type { Connection } from '../settings.ts'
import { operationName } from './operation-progress.ts'
import { watchOperation } from './watch-operation.ts'

interface Cancelling {
  readonly connection: Connection
  readonly json: boolean
  /** Do not wait for the end. */
  readonly detach: boolean
}

/**
 * Cancels an operation and waits until it has cleaned up.
 * @param given its id, or the projection it works on; undefined for the only one under way
 */
export async function cancel(
  given: string | undefined,
  { connection, json, detach }: Cancelling,
): Promise<void> {
  const meant = await operationMeant(connection, given)
  if (hasEnded(meant))
    throw new CliError(
      EXIT.failed,
      'ENDED',
      `The ${operationName(meant)} has ended already: ${spoken(meant.status)}.`,
    )
  const asked = await requestOperation(connection, {
    mutation: 'cancelOperation',
    arguments: { id: meant.id },
  })
  const ending = new AbortController()
  process.once('SIGINT', () => ending.abort())
  const seen = hasEnded(asked) || detach ? asked : await watchOperation(connection, asked, ending.signal)
  const last = seen ?? asked
  if (json) printJson({ operations: [last] })
  else if (last.status === 'CANCELLED')
    print(`The ${operationName(last)} was cancelled. What it had begun is cleaned up.`)
  else if (hasEnded(last)) note(`The ${operationName(last)} had ended before: ${spoken(last.status)}.`)
  else print(`The ${operationName(last)} is told to end.`)
  if (hasEnded(last) && last.status !== 'CANCELLED') process.exitCode = EXIT.failed
}

/**
 * Finds the operation with that id, the one under way on that projection, or the only one under way.
 * @throws UsageError if there are several, CliError NOT_FOUND if there is none
 */
export async function operationMeant(connection: Connection, given: string | undefined): Promise<Operation> {
  const isId = given !== undefined && /^[0-9a-f-]{36}$/iu.test(given)
  if (isId) return readOperation(connection, given)
  const active = (await listOperations(connection, { active: true })).filter(
    ({ projection }) =>
      given === undefined || given === 'all' || (projection !== null && spoken(projection) === given),
  )
  const [only] = active
  if (only === undefined)
    throw new CliError(
      EXIT.failed,
      'NOT_FOUND',
      `No operation${given === undefined || given === 'all' ? '' : ` on ${given}`} is under way.`,
      ['See those that have ended:  daybook operations'],
    )
  if (active.length > 1)
    throw new UsageError(
      'Several operations are under way: which one?',
      active.map((one) => `${safeLine(one.id)}  ${operationName(one)}`),
    )
  return only
}
