import type { Command } from 'commander'
import { listOperations, readOperation } from '../client/operations.ts'
import { addExamples, addGlobalOptions, addNotes, invocation, wholeNumber } from '../command.ts'
import { operationsTable, renderEnded } from '../operations/render-ended.ts'
import { cancel, OPERATION_HELP, operationMeant, watchOperations } from '../operations/run-operations.ts'
import { print, printJson } from '../output/print.ts'

const ID = 'its id; the only one under way unless given'

/** Adds the arguments, options and action of `daybook operations`. */
export function configureOperations(command: Command): void {
  command
    .command('list', { isDefault: true })
    .description('what is under way, and what has ended of late')
    .option('--limit <n>', 'how many at most (default 20)', wholeNumber(1))
    .action((options: { limit?: number }, self: Command) => list(options.limit ?? 20, self))
  command
    .command('show')
    .description('one of them, with all that its result names')
    .argument('<id>')
    .action((id: string, _, self: Command) => show(id, self))
  command
    .command('watch')
    .description('show its progress until it has ended')
    .argument('[id]', ID)
    .action((id: string | undefined, _, self: Command) => watch(id, self))
  command
    .command('cancel')
    .description('end it, and clean up behind it')
    .argument('[id]', ID)
    .action((id: string | undefined, _, self: Command) => cancel(id, { ...invocation(self), detach: false }))
  for (const one of command.commands) addGlobalOptions(one)
  addExamples(command, [
    'daybook operations',
    'daybook operations watch',
    'daybook operations cancel 0192f0c1-8a3e-7c11-9d2b-3f0e5a6b7c8d',
  ])
  addNotes(command, OPERATION_HELP)
}

async function list(limit: number, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const operations = await listOperations(connection, { first: limit })
  if (json) return printJson({ operations })
  print(
    operations.length === 0 ? 'Nobody has asked for anything yet.' : operationsTable(operations, Date.now()),
  )
}

async function show(id: string, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const operation = await readOperation(connection, id)
  if (json) printJson({ operation })
  else print(`${operationsTable([operation], Date.now())}\n\n${renderEnded(operation, { all: true })}`)
}

async function watch(id: string | undefined, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  await watchOperations([await operationMeant(connection, id)], { connection, json, detach: false })
}
