import type { Command } from 'commander'
import { UsageError } from '../cli-error.ts'
import { addExamples, addGlobalOptions, addNotes, invocation, wholeNumber } from '../command.ts'
import { PROJECTIONS, projectionsMeant } from '../operations/projections.ts'
import { runOperations } from '../operations/run-operations.ts'
import { print, printJson } from '../output/print.ts'
import { findParked, listParked, type ParkedPlace } from '../parked/find-parked.ts'
import { renderParked, renderParkedList } from '../parked/render-parked.ts'

/** Adds the arguments, options and action of `daybook parked`. */
export function configure(command: Command): void {
  command
    .command('list', { isDefault: true })
    .description('events that could not be applied')
    .action((_, self: Command) => list(self))
  command
    .command('show')
    .description('show one, and why it failed')
    .argument('<sequence>', 'its place in its project’s journal', wholeNumber(1))
    .action((sequence: number, _, self: Command) => show(sequence, self))
  command
    .command('retry')
    .description('try again to apply them')
    .argument('[memoryId...]', 'of these memories')
    .option('--all', 'of all memories')
    .option('--detach', 'do not wait for the end')
    .action((memoryIds: string[], _, self: Command) => retry(memoryIds, self))
  command
    .command('drop')
    .description('skip one for good')
    .argument('<sequence>', 'its place in its project’s journal', wholeNumber(1))
    .option('--yes', 'do not ask')
    .action((sequence: number, _, self: Command) => drop(sequence, self))
  for (const one of command.commands) {
    one.option('--projection <name>', `of ${PROJECTIONS}; of all unless given`)
    one.option('--project <name>', 'of this project, by its name or id; of all unless given')
    addGlobalOptions(one)
  }
  addExamples(command, [
    'daybook parked list',
    'daybook parked show 120',
    'daybook parked retry --all',
    'daybook parked drop 120 --projection pgvector',
  ])
  addNotes(
    command,
    `
A projection that cannot apply an event tries several times and then parks it. Later events of the same memory wait behind
it; everything else goes on. Retry it when the cause is fixed. If you drop it, searches show the memory without it; the
journal keeps it, and a rebuild tries it again.`,
  )
}

async function list(command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const parked = await listParked(connection, command.opts<ParkedPlace>())
  if (json) printJson({ parked })
  else print(renderParkedList(parked, Date.now()))
}

async function show(sequence: number, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const parked = await findParked(connection, sequence, command.opts<ParkedPlace>())
  if (json) printJson({ parked })
  else print(parked.map((one) => renderParked(one)).join('\n\n'))
}

async function retry(memoryIds: readonly string[], command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const { projection, project, all = false, detach = false } = command.opts<ParkedPlace & RetryOptions>()
  if (memoryIds.length > 0 === all)
    throw new UsageError('Name memories, or say --all', ['daybook parked list  shows their ids'])
  const projections = await projectionsMeant(connection, projection)
  await runOperations(
    projections.map((name) => ({
      mutation: 'retryParked',
      arguments: { projection: name, project, memoryIds: all ? undefined : memoryIds },
    })),
    { connection, json, detach },
  )
}

interface RetryOptions {
  readonly all?: boolean
  readonly detach?: boolean
}

async function drop(sequence: number, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const { yes = false, ...place } = command.opts<ParkedPlace & { readonly yes?: boolean }>()
  const { dropOne } = await import('../parked/drop-parked.ts')
  await dropOne(sequence, { connection, json, yes, place })
}
