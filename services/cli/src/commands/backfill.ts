import type { Command } from 'commander'
import { addExamples, addNotes, invocation } from '../command.ts'
import { PROJECTION_ARGUMENT, projectionsMeant } from '../operations/projections.ts'
import {
  addOperationOptions,
  OPERATION_HELP,
  type OperationOptions,
  runOperations,
} from '../operations/run-operations.ts'

/** Adds the arguments, options and action of `daybook backfill`. */
export function configureBackfill(command: Command): void {
  command.argument('[projection]', `${PROJECTION_ARGUMENT} (default all)`)
  addOperationOptions(command).action(
    (projection: string | undefined, options: OperationOptions, self: Command) =>
      backfill(projection, options, self),
  )
  addExamples(command, ['daybook backfill', 'daybook backfill pgvector --project default'])
  addNotes(
    command,
    `
Makes the vectors that memories lack, and tries again at once those that failed before. It is seldom needed: projectors
make vectors by themselves. The exit code is 1 if some could not be made.
${OPERATION_HELP}`,
  )
}

async function backfill(
  projection: string | undefined,
  { project, detach = false }: OperationOptions,
  command: Command,
): Promise<void> {
  const { connection, json } = invocation(command)
  const projections = await projectionsMeant(connection, projection)
  await runOperations(
    projections.map((name) => ({ mutation: 'backfill', arguments: { projection: name, project } })),
    { connection, json, detach },
  )
}
