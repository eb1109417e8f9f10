import { safeLine } from '@daybook/memory/safe-text'
import { RefusedError } from '../cli-error.ts'
import { type Operation, type OperationRequest, requestOperation } from '../client/operations.ts'
import { EXIT } from '../exit-codes.ts'
import { note, print, printJson } from '../output/print.ts'
import type { Connection } from '../settings.ts'
import { operationName } from './operation-progress.ts'
import { isGood, renderEnded } from './render-ended.ts'
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
