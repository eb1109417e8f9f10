import type { Command } from 'commander'
import type { OperationRequest } from '../client/operations.ts'
import { addExamples, addNotes, invocation } from '../command.ts'
import { UsageError } from '../command-line.ts'
import { PROJECTION_ARGUMENT, projectionsMeant } from '../operations/projections.ts'
import {
  addOperationOptions,
  OPERATION_HELP,
  type OperationOptions,
  runOperations,
} from '../operations/run-operations.ts'

/** Adds the arguments, options and action of `daybook verify`. */
export function configureVerify(command: Command): void {
  command
    .argument('[projection]', `what is compared with the journal: ${PROJECTION_ARGUMENT} (default all)`)
    .option(
      '--journal',
      'check the journal itself, by its hash chain; nothing else unless a projection is named',
    )
    .option(
      '--from <sequence:hash>',
      'with --journal and --project: a place noted before, whose event must still have that hash',
    )
    .option('--incremental', 'only what has changed since it was last found right')
    .option('--repair', 'rewrite what differs')
  addOperationOptions(command).action(
    (projection: string | undefined, options: VerifyOptions, self: Command) =>
      verify(projection, options, self),
  )
  addExamples(command, [
    'daybook verify',
    'daybook verify pgvector --repair',
    'daybook verify --journal --project default',
    'daybook verify --journal --project default --from 1200:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  ])
  addNotes(
    command,
    `
The exit code is 0 if everything agrees with the journal or was repaired, and 1 if something differs or events are parked
(see  daybook parked list). Without --repair it changes nothing. Writes and searches may go on meanwhile.
${OPERATION_HELP}`,
  )
}

interface VerifyOptions extends OperationOptions {
  readonly journal?: boolean
  readonly from?: string
  readonly incremental?: boolean
  readonly repair?: boolean
}

async function verify(
  projection: string | undefined,
  { journal = false, from, incremental, repair, project, detach = false }: VerifyOptions,
  command: Command,
): Promise<void> {
  const { connection, json } = invocation(command)
  if (from !== undefined && (!journal || project === undefined))
    throw new UsageError('--from goes with --journal and --project: a hash is of one journal', [
      'daybook verify --journal --project default --from <sequence>:<hash>',
    ])
  const names = journal && projection === undefined ? [] : await projectionsMeant(connection, projection)
  const requests: OperationRequest[] = names.map((name) => ({
    mutation: 'verify',
    arguments: { projection: name, project, incremental, repair },
  }))
  if (journal)
    requests.unshift({ mutation: 'verifyJournal', arguments: { project, from: from?.replaceAll(',', '') } })
  await runOperations(requests, { connection, json, detach })
}
