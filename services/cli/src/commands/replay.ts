import type { Command } from 'commander'
import { addExamples, addNotes, invocation, wholeNumber } from '../command.ts'
import { UsageError } from '../command-line.ts'
import { checkProjection, PROJECTIONS } from '../operations/projections.ts'
import {
  addOperationOptions,
  OPERATION_HELP,
  type OperationOptions,
  runOperations,
} from '../operations/run-operations.ts'

/** Adds the arguments, options and action of `daybook replay`. */
export function configureReplay(command: Command): void {
  command
    .requiredOption('--from <sequence>', 'the first event', wholeNumber(1))
    .option('--to <sequence>', 'the last event; the journal’s end unless given', wholeNumber(1))
    .option('--projection <name>', `rewrite its memories in ${PROJECTIONS}, instead of publishing it`)
  addOperationOptions(command).action((options: ReplayOptions, self: Command) => replay(options, self))
  addExamples(command, [
    'daybook replay --from 1',
    'daybook replay --from 120 --to 180 --projection pgvector',
  ])
  addNotes(
    command,
    `
Sends a part of one project’s journal again; the project is the key’s own unless --project names one. Without --projection
the events are published again: projectors skip those they have, and listeners get them once more. With --projection the
memories with events in that part are rewritten from the journal, as in a rebuild.
${OPERATION_HELP}`,
  )
}

interface ReplayOptions extends OperationOptions {
  readonly from: number
  readonly to?: number
  readonly projection?: string
}

async function replay(
  { from, to, projection, project, detach = false }: ReplayOptions,
  command: Command,
): Promise<void> {
  const { connection, json } = invocation(command)
  const name = projection === undefined ? undefined : checkProjection(projection)
  if (name === null)
    throw new UsageError('A replay goes to one projection, or to the bus', [
      'daybook replay --from 1 --projection pgvector',
    ])
  await runOperations([{ mutation: 'replay', arguments: { from, to, project, projection: name } }], {
    connection,
    json,
    detach,
  })
}
