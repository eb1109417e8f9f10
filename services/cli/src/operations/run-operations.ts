import { safeLine } from '@daybook/memory/safe-text'
import type { Command } from 'commander'
import {
  hasEnded,
  listOperations,
  type Operation,
  type OperationRequest,
  readOperation,
  requestOperation,
} from '../client/operations.ts'
import { CliError, EXIT, RefusedError, UsageError } from '../command-line.ts'
import { note, print, printJson, spoken } from '../output/print.ts'
import type { Connection } from '../settings.ts'
import { isGood, operationName, renderEnded } from './render-ended.ts'
import { watchOperation } from './watch-operation.ts'

interface Running {
  readonly connection: Connection
  readonly json: boolean
  /** Do not wait for the ends. */
  readonly detach: boolean
}

/**
 * Asks for operations, shows their progress one after another, and prints their results. It sets
 * `process.exitCode` if not all is well. After Ctrl-C the daemon goes on with them.
 * @throws RefusedError if the first is refused; if a later one is, that is printed and the others go on
 */
export async function runOperations(requests: readonly OperationRequest[], running: Running): Promise<void> {
  const operations: Operation[] = []
  let refused = false
  for (const one of requests)
    try {
      operations.push(await requestOperation(running.connection, one))
    } catch (error) {
      if (!(error instanceof RefusedError) || operations.length === 0) throw error
      refused = true
      note(safeLine(error.message))
    }
  await watchOperations(operations, running)
  if (refused && process.exitCode === undefined) process.exitCode = EXIT.failed
}

/**
 * Like `runOperations`, for operations that exist already.
 * @param all whether to print every noted difference
 * @param cancellable whether they can be cancelled. Default yes
 */
export async function watchOperations(
  operations: readonly Operation[],
  {
    connection,
    json,
    detach,
    all = false,
    cancellable = true,
  }: Running & { readonly all?: boolean; readonly cancellable?: boolean },
): Promise<void> {
  if (detach) {
    if (json) printJson({ operations })
    else
      for (const one of operations)
        print(`The ${operationName(one)} is queued.\n${howToGoOn(one, cancellable)}`)
    return
  }
  const ending = new AbortController()
  process.once('SIGINT', () => ending.abort())
  process.once('SIGTERM', () => ending.abort())
  const seen: Operation[] = []
  for (const one of operations) {
    const ended = await watchOperation(connection, one, ending.signal)
    if (ended === null) {
      if (json) printJson({ operations: [...seen, ...operations.slice(seen.length)] })
      note(`\nThe ${operationName(one)} goes on without you.\n${howToGoOn(one, cancellable)}`)
      process.exitCode = EXIT.interrupted
      return
    }
    seen.push(ended)
    if (!json) print(renderEnded(ended, { all }))
    if (!isGood(ended)) process.exitCode = EXIT.failed
  }
  if (json) printJson({ operations: seen })
}

/**
 * Follows one operation to its end for a command that prints something else than its result.
 * It sets `process.exitCode` if not all is well, or if the user leaves before.
 */
export async function followOrNote(operation: Operation, connection: Connection): Promise<void> {
  const ending = new AbortController()
  process.once('SIGINT', () => ending.abort())
  process.once('SIGTERM', () => ending.abort())
  const ended = await watchOperation(connection, operation, ending.signal)
  if (ended !== null && isGood(ended)) return
  note(
    ended === null
      ? `\nThe ${operationName(operation)} goes on without you.\n${howToGoOn(operation, true)}`
      : renderEnded(ended),
  )
  process.exitCode = ended === null ? EXIT.interrupted : EXIT.failed
}

function howToGoOn({ id }: Operation, cancellable: boolean): string {
  const watch = `  watch it:    daybook operations watch ${safeLine(id)}`
  return cancellable ? `${watch}\n  cancel it:   daybook operations cancel ${safeLine(id)}` : watch
}

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

/** The options of every command that asks for operations. */
export interface OperationOptions {
  readonly project?: string
  readonly detach?: boolean
}

/** Adds those options to a command. */
export function addOperationOptions(command: Command): Command {
  return command
    .option('--project <name>', 'only this project, by its name or id')
    .option('--detach', 'do not wait for the end')
}

/** The end of the help of every command that asks for operations. */
export const OPERATION_HELP = `
The daemon or the reindex service does the work. It goes on whether somebody watches it or not: Ctrl-C only stops
watching. "daybook operations" shows what is under way.`
