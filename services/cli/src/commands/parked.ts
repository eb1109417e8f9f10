import { age } from '@daybook/memory/hit-lines'
import { safeLine } from '@daybook/memory/safe-text'
import type { Command } from 'commander'
import { dropParked, type ParkedEvent, readParked } from '../client/operations.ts'
import { addExamples, addGlobalOptions, addNotes, invocation, wholeNumber } from '../command.ts'
import { CliError, confirm, EXIT, UsageError } from '../command-line.ts'
import { PROJECTIONS, projectionsMeant } from '../operations/projections.ts'
import { runOperations } from '../operations/run-operations.ts'
import { print, printJson, shorten, spoken } from '../output/print.ts'
import { outputColumns, table, wrapBehind } from '../output/table.ts'
import type { Connection } from '../settings.ts'

/** Adds the arguments, options and action of `daybook parked`. */
export function configureParked(command: Command): void {
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
  await dropOne(sequence, { connection, json, yes, place })
}

interface DropOptions {
  readonly connection: Connection
  readonly json: boolean
  readonly yes: boolean
  readonly place: ParkedPlace
}

/** Makes a projection skip one event for good, after asking. */
async function dropOne(sequence: number, { connection, json, yes, place }: DropOptions): Promise<void> {
  const found = (await findParked(connection, sequence, place)).filter(({ droppedAt }) => droppedAt === null)
  const [one] = found
  if (one === undefined)
    throw new CliError(EXIT.failed, 'DROPPED', `The event ${sequence} is dropped already.`)
  if (found.length > 1)
    throw new UsageError(
      `The event ${sequence} is parked in several places: which one?`,
      found.map(
        ({ projection, project }) => `--projection ${spoken(projection)} --project ${safeLine(project)}`,
      ),
    )
  const what = `the event ${sequence} of ${safeLine(one.project)}`
  await confirm(`Let ${spoken(one.projection)} pass over ${what} for good?`, yes)
  await dropParked(connection, one)
  if (json) return printJson({ dropped: one })
  print(`${spoken(one.projection)} passes over ${what}.`)
  print(`Apply what waits behind it:  daybook parked retry ${safeLine(one.memoryId)}`)
}

/** Where to look. Default: everywhere. */
interface ParkedPlace {
  readonly projection?: string
  /** Its name or id. */
  readonly project?: string
}

/** Lists parked events, up to 100 per projection, including dropped ones. */
async function listParked(
  connection: Connection,
  { projection, project }: ParkedPlace,
): Promise<readonly ParkedEvent[]> {
  const names = await projectionsMeant(connection, projection)
  return (await Promise.all(names.map((name) => readParked(connection, name, { project })))).flat()
}

/**
 * Finds the events parked at a sequence: one for each projection and project that could not apply it.
 * @throws CliError NOT_FOUND
 */
async function findParked(
  connection: Connection,
  sequence: number,
  { projection, project }: ParkedPlace,
): Promise<readonly ParkedEvent[]> {
  const names = await projectionsMeant(connection, projection)
  const found = await Promise.all(names.map((name) => readParked(connection, name, { project, sequence })))
  if (found.flat().length === 0)
    throw new CliError(EXIT.failed, 'NOT_FOUND', `No event ${sequence} is parked.`, [
      'See what is:  daybook parked list',
    ])
  return found.flat()
}

/** Characters of an error in the list on a terminal; `parked show` has all of it. */
const ERROR = 60

/** A table with one line per parked event. */
export function renderParkedList(
  parked: readonly ParkedEvent[],
  now: number,
  columns = outputColumns(),
): string {
  if (parked.length === 0) return 'No event is parked.'
  const rows = parked.map((one) => [
    one.sequence,
    safeLine(one.project),
    spoken(one.projection),
    safeLine(one.memoryId),
    one.attempts,
    one.droppedAt === null ? age(one.parkedAt, now) : 'dropped',
    shorten(safeLine(one.error), ERROR, columns),
  ])
  return [
    table(['sequence', 'project', 'projection', 'memory', 'tries', 'parked', 'error'], rows, columns),
    '',
    'All of one:    daybook parked show <sequence>',
    'Try again:     daybook parked retry <memory>, or --all',
    'Pass over it:  daybook parked drop <sequence>',
  ].join('\n')
}

/** All details of one parked event. */
export function renderParked({ event, ...parked }: ParkedEvent, columns = outputColumns()): string {
  const memory = event?.memory ?? null
  return [
    `sequence ${parked.sequence} of ${safeLine(parked.project)}, parked by ${spoken(parked.projection)}`,
    `memory:   ${safeLine(parked.memoryId)}`,
    ...(event === null
      ? ['event:    it is not in the journal']
      : [
          `event:    ${safeLine(event.type)}, version ${event.version}, recorded ${safeLine(event.recordedAt)}`,
        ]),
    ...(event?.status === 'OPAQUE' ? ['content:  this version of Daybook cannot read it'] : []),
    ...(memory === null
      ? []
      : [
          wrapBehind(
            'title:    ',
            `${safeLine(memory.title)} (${safeLine(memory.kind.toLowerCase())})`,
            columns,
          ),
        ]),
    `parked:   ${safeLine(parked.parkedAt)}, after ${parked.attempts} tries`,
    ...(parked.droppedAt === null ? [] : [`dropped:  ${safeLine(parked.droppedAt)}`]),
    wrapBehind('error:    ', safeLine(parked.error), columns),
  ].join('\n')
}
