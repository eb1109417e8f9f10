import { graphql, type ResultOf } from '@daybook/api/graphql'
import * as mutations from '@daybook/api/mutations'
import * as queries from '@daybook/api/queries'
import { safeLine } from '@daybook/memory/safe-text'
import { grouped } from '@daybook/memory/text-rules'
import type { Command } from 'commander'
import { request, succeeded } from '../client/request.ts'
import { addExamples, addGlobalOptions, addNotes, invocation, sinceMoment } from '../command.ts'
import { confirm, RefusedError, UsageError } from '../command-line.ts'
import { OPERATION_HELP } from '../operations/run-operations.ts'
import { note, print, printJson, shorten } from '../output/print.ts'
import { table } from '../output/table.ts'
import type { Connection } from '../settings.ts'
import { runUndo, type UndoChoices } from './undo.ts'

/** Adds the subcommands of `daybook quarantine`. */
export function configureQuarantine(command: Command): void {
  command
    .command('list', { isDefault: true })
    .description('the writers in quarantine, the newest first')
    .option('--all', 'also quarantines that are over')
    .action((options: { all?: boolean }, self: Command) => list(options, self))
  command
    .command('add')
    .description('withhold everything that a writer wrote, and refuse what it writes')
    .argument('[key]', 'the id of its key, as `daybook keys` and `daybook history` show it')
    .option('--agent <name>', 'instead of a key: who says to be this agent, in one project')
    .requiredOption('--reason <text>', 'why; whoever reads a withheld memory by its id sees it')
    .option('--all-projects', 'in all projects, not only in yours')
    .option('--yes', 'do not ask')
    .action((key: string | undefined, options: AddOptions, self: Command) => add(key, options, self))
  command
    .command('release')
    .description('end a quarantine: what it withheld is back, as it was')
    .argument('<id>', 'of the quarantine, as the list shows it')
    .option('--reason <text>', 'why, for the record')
    .action((id: string, options: { reason?: string }, self: Command) => release(id, options, self))
  command
    .command('undo')
    .description('take back what the writer wrote: forget what it remembered, restore what it revised')
    .argument('<id>', 'of the quarantine, as the list shows it')
    .requiredOption('--since <time>', 'from when on: 30m, 2h, 7d ago, or a date or time', sinceMoment)
    .option('--dry-run', 'only show what would be done')
    .option('--yes', 'do not ask')
    .option('--detach', 'do not wait for the end')
    .action((id: string, options: UndoChoices & { since: string }, self: Command) => undo(id, options, self))
  for (const one of command.commands) addGlobalOptions(one)
  addExamples(command, [
    'daybook quarantine add 0192f0c1-8a3e-7c11-9d2b-3f0e5a6b7c8d --reason "it read a poisoned issue"',
    'daybook quarantine add --agent planner --reason "looks odd"',
    'daybook quarantine list --json',
    'daybook quarantine undo 0192f0c1-9b4f-7d22-8e3c-4f1e6b7c8d9e --since 2d --dry-run',
    'daybook quarantine release 0192f0c1-9b4f-7d22-8e3c-4f1e6b7c8d9e --reason "checked"',
  ])
  addNotes(
    command,
    `
Needs a key with the scope admin of the project. What a writer in quarantine is an author of is in no search, list, count,
context or answer, from the next request on; reading it by its id says so. The writer may still read: to end that too,
revoke its key (daybook keys revoke). A key's quarantine goes with its rotations. Nothing proves an agent's name: whoever
suspects an agent puts its key into quarantine.
undo shows what it would do, and asks. A memory that somebody else has changed since stays as it is, and is named. It may be
run again: what is undone stays undone. The quarantine goes on until it is released.
${OPERATION_HELP}`,
  )
}

async function list({ all = false }: { all?: boolean }, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const quarantines = await readQuarantines(connection, all)
  if (json) return printJson({ quarantines })
  print(quarantines.length === 0 ? 'No writer is in quarantine.' : renderQuarantines(quarantines))
}

interface AddOptions {
  readonly agent?: string
  readonly reason: string
  readonly allProjects?: boolean
  readonly yes?: boolean
}

async function add(key: string | undefined, options: AddOptions, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const { agent, reason, allProjects = false, yes = false } = options
  if ((key === undefined) === (agent === undefined))
    throw new UsageError('Say which key, or --agent <name>', ['See the keys:  daybook keys'])
  await confirm(
    `Withhold everything that ${key === undefined ? `the agent "${agent}"` : `the key ${key}`} wrote, and refuse what it writes?`,
    yes || json,
  )
  const begun = await beginQuarantine(connection, { key, agent, reason, allProjects })
  if (json) return printJson(begun)
  print(
    `${nameOf(begun)} is in quarantine: ${begun.memories} ${begun.memories === 1 ? 'memory is' : 'memories are'} withheld in this project.`,
  )
  note(`Bring them back:  daybook quarantine release ${begun.id}`)
  note(`Take back what it wrote:  daybook quarantine undo ${begun.id} --since <time>`)
}

async function release(id: string, { reason }: { reason?: string }, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const ended = await endQuarantine(connection, id, reason)
  if (json) return printJson(ended)
  print(`${nameOf(ended)} is released: what it wrote is found again.`)
}

async function undo(
  id: string,
  { since, ...choices }: UndoChoices & { since: string },
  command: Command,
): Promise<void> {
  const { connection, json } = invocation(command)
  const { keyIds, agent } = await readQuarantine(connection, id)
  await runUndo({ filter: {}, since, writer: { keyIds: [...keyIds], agent } }, choices, { connection, json })
}

const QUARANTINE = graphql(`
  fragment Quarantine on Quarantine {
    id keyIds agent reason beganAt beganBy releasedAt releasedBy releaseReason memories project { id name }
  }`)

/** A quarantine, with how many memories it withholds in the project of the request. */
type Quarantine = Omit<ResultOf<typeof QUARANTINE>, '__typename'>

const LIST = queries.quarantines('...Quarantine', [QUARANTINE])

/** The quarantines that concern the project. @param released also those that are over */
async function readQuarantines(connection: Connection, released: boolean): Promise<readonly Quarantine[]> {
  return (await request(connection, LIST, { released })).quarantines
}

/** One of them, also one that is over. @throws RefusedError if there is none */
async function readQuarantine(connection: Connection, id: string): Promise<Quarantine> {
  const found = (await readQuarantines(connection, true)).find((one) => one.id === id.toLowerCase())
  if (found === undefined)
    throw new RefusedError('NOT_FOUND', `There is no quarantine ${id} here: daybook quarantine list --all`)
  return found
}

const BEGIN = mutations.quarantineWriter('quarantine { ...Quarantine }', [QUARANTINE])

/** Puts a writer into quarantine. @throws what `request` throws */
async function beginQuarantine(
  connection: Connection,
  of: {
    readonly key: string | undefined
    readonly agent: string | undefined
    readonly reason: string
    readonly allProjects: boolean
  },
): Promise<Quarantine> {
  return succeeded((await request(connection, BEGIN, of)).result).quarantine
}

const RELEASE = mutations.releaseQuarantine('quarantine { ...Quarantine }', [QUARANTINE])

/** Ends a quarantine. @throws what `request` throws */
async function endQuarantine(
  connection: Connection,
  id: string,
  reason: string | undefined,
): Promise<Quarantine> {
  return succeeded((await request(connection, RELEASE, { id, reason })).result).quarantine
}

/** Columns of a reason. */
const REASON = 40

/** Who is in quarantine, for a sentence. */
const nameOf = ({ agent, keyIds }: Pick<Quarantine, 'agent' | 'keyIds'>): string =>
  agent === null ? `The key ${safeLine(keyIds.join(', '))}` : `The agent "${safeLine(agent)}"`

/** Quarantines as a table. */
function renderQuarantines(quarantines: readonly Quarantine[]): string {
  const rows = quarantines.map((one) => [
    one.agent === null
      ? one.keyIds.map((id) => `key ${safeLine(id)}`).join(', ')
      : `agent ${safeLine(one.agent)}`,
    one.project === null ? 'all' : safeLine(one.project.name),
    grouped(one.memories),
    `${minute(one.beganAt)} by ${safeLine(one.beganBy)}`,
    one.releasedAt === null ? '' : `${minute(one.releasedAt)} by ${safeLine(one.releasedBy ?? '')}`,
    shorten(safeLine(one.reason), REASON),
    safeLine(one.id),
  ])
  return table(['writer', 'project', 'memories', 'since', 'released', 'reason', 'id'], rows)
}

const minute = (moment: string): string => moment.slice(0, 16).replace('T', ' ')
