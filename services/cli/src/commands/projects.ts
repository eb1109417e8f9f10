import * as mutations from '@daybook/api/mutations'
import * as queries from '@daybook/api/queries'
import { safeLine } from '@daybook/memory/safe-text'
import { grouped } from '@daybook/memory/text-rules'
import { parseBytes } from '@daybook/runtime/units'
import { type Command, InvalidArgumentError } from 'commander'
import { OPERATION } from '../client/operations.ts'
import { request, succeeded } from '../client/request.ts'
import { addExamples, addGlobalOptions, addNotes, invocation, wholeNumber } from '../command.ts'
import { confirm, RefusedError } from '../command-line.ts'
import { watchOperations } from '../operations/run-operations.ts'
import { print, printJson, shellWord, size } from '../output/print.ts'
import { table } from '../output/table.ts'
import type { Connection } from '../settings.ts'

const NAMED = 'its name or id'
/** Of a limit: the API keeps these in 32 bits. */
const MOST = 2_147_483_647

/** Adds the subcommands of `daybook projects`. */
export function configureProjects(command: Command): void {
  command
    .command('list', { isDefault: true })
    .description('the projects that your key may read, what they hold and what they may hold')
    .action((_, self: Command) => list(self))
  addLimitOptions(
    command
      .command('create')
      .description('make an empty project')
      .argument('<name>', 'a name that is not taken'),
  ).action((name: string, options: LimitOptions, self: Command) => create(name, options, self))
  command
    .command('rename')
    .description('give a project another name; its id, memories and keys stay')
    .argument('<project>', NAMED)
    .argument('<name>', 'a name that is not taken')
    .action((id: string, name: string, _, self: Command) => rename(id, name, self))
  addLimitOptions(
    command
      .command('limits')
      .description('show or set what a project may hold and ask for; "none" removes a limit')
      .argument('<project>', NAMED),
  ).action((id: string, options: LimitOptions, self: Command) => limits(id, options, self))
  command
    .command('delete')
    .description('delete a project for good, with everything in it')
    .argument('<project>', NAMED)
    .option('--yes', 'do not ask')
    .option('--detach', 'do not wait until everything is removed')
    .action((id: string, options: DeleteOptions, self: Command) => deleteProject(id, options, self))
  command
    .command('deleted')
    .description('the projects that were deleted: who deleted them, and whether all is removed')
    .option('--limit <n>', 'how many at most (default 20)', wholeNumber(1))
    .action((options: { limit?: number }, self: Command) => listDeleted(options.limit ?? 20, self))
  for (const one of command.commands) addGlobalOptions(one)
  addExamples(command, [
    'daybook projects',
    'daybook projects create shop --memories 100,000',
    'daybook projects rename shop store',
    'daybook projects limits shop --bytes 1GiB --requests 50 --queued-texts none',
    'daybook projects delete shop',
  ])
  addNotes(
    command,
    `
A project is a tenant: no key of another project can see or find what is in it. To use a new one, make a key for it with
"daybook keys create". Making, renaming, limiting and deleting need a key that runs the whole Daybook, such as the daemon's
first. Deleted is for good: nobody can read or write the project from then on, and everything in it is removed, also after
a crash. Keys that open only this project are revoked. Its id stays in "daybook projects deleted", its name does not.`,
  )
}

/** Commander turns null into an empty text. */
type Limit = number | 'none'

interface LimitOptions {
  readonly memories?: Limit
  readonly bytes?: Limit
  readonly requests?: Limit
  readonly queuedTexts?: Limit
}

const orNone =
  (parse: (value: string) => number) =>
  (value: string): Limit =>
    value === 'none' ? value : parse(value)

function addLimitOptions(command: Command): Command {
  return command
    .option('--memories <n>', 'the most memories, without forgotten ones', orNone(wholeNumber(0, MOST)))
    .option('--bytes <size>', 'the most bytes of events: 500MiB, 2GiB', orNone(bytes))
    .option('--requests <n>', 'the most requests a second, at each gateway', orNone(wholeNumber(1, MOST)))
    .option('--queued-texts <n>', 'the most texts that wait for their vectors', orNone(wholeNumber(0, MOST)))
}

function bytes(value: string): number {
  const parsed = parseBytes(value)
  if (parsed === null) throw new InvalidArgumentError('It must be a size such as 500MiB, or "none".')
  return parsed
}

const given = (limit: Limit | undefined) => (limit === 'none' ? null : limit)

function limitsFrom({ memories, bytes: most, requests, queuedTexts }: LimitOptions) {
  return {
    memories: given(memories),
    bytes: given(most),
    requestsPerSecond: given(requests),
    queuedTexts: given(queuedTexts),
  }
}

const LIST = queries.projects(
  'id name memories bytes createdAt limits { memories bytes requestsPerSecond queuedTexts }',
)

async function list(command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const { projects } = await request(connection, LIST, {})
  if (json) return printJson({ projects })
  const rows = projects.map(({ id, name, memories, bytes: held, limits: most }) => [
    safeLine(name),
    `${grouped(memories)}${most.memories === null ? '' : ` of ${grouped(most.memories)}`}`,
    `${size(held)}${most.bytes === null ? '' : ` of ${size(most.bytes)}`}`,
    most.requestsPerSecond ?? '',
    most.queuedTexts ?? '',
    safeLine(id),
  ])
  print(table(['name', 'memories', 'size', 'requests/s', 'queued texts', 'id'], rows))
}

const CREATE = mutations.createProject(
  'project { id name limits { memories bytes requestsPerSecond queuedTexts } }',
)

async function create(name: string, options: LimitOptions, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const variables = { name, limits: limitsFrom(options) }
  const { project } = succeeded((await request(connection, CREATE, variables)).result)
  if (json) return printJson({ project })
  print(`The project "${safeLine(project.name)}" is made; its id is ${safeLine(project.id)}.`)
  print(
    `Nobody can use it yet. Make a key for it: daybook keys create <name> --project ${shellWord(project.name)}`,
  )
}

const RENAME = mutations.renameProject('project { id name }')

async function rename(id: string, name: string, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const { project } = succeeded((await request(connection, RENAME, { id, name })).result)
  if (json) return printJson({ project })
  print(
    `The project is now called "${safeLine(project.name)}". Its id ${safeLine(project.id)} and its keys stay; whoever names it in --project or DAYBOOK_PROJECT needs the new name.`,
  )
}

const LIMIT = mutations.setProjectLimits(`
  project { id name memories bytes limits { memories bytes requestsPerSecond queuedTexts } }`)

async function limits(id: string, options: LimitOptions, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  // Without an option nothing changes, and the answer says what there is.
  const { project } = succeeded(
    (await request(connection, LIMIT, { id, limits: limitsFrom(options) })).result,
  )
  if (json) return printJson({ project })
  const { memories, bytes: most, requestsPerSecond, queuedTexts } = project.limits
  const rows = [
    ['memories', grouped(project.memories), memories === null ? 'none' : grouped(memories)],
    ['bytes', size(project.bytes), most === null ? 'none' : size(most)],
    ['requests a second', '', requestsPerSecond === null ? 'none' : grouped(requestsPerSecond)],
    ['queued texts', '', queuedTexts === null ? 'none' : grouped(queuedTexts)],
  ]
  print(`The project "${safeLine(project.name)}":`)
  print(table(['limit', 'now', 'at most'], rows))
}

/** The options of `daybook projects delete`. */
interface DeleteOptions {
  readonly yes?: boolean
  readonly detach?: boolean
}

const PROJECTS = queries.projects('id name memories')

const DELETE = mutations.deleteProject('id events outOfReach operation { ...Operation }', [OPERATION])

/** Asks, deletes the project, and follows the removal of what it held to its end. */
async function deleteProject(
  nameOrId: string,
  { yes = false, detach = false }: DeleteOptions,
  command: Command,
): Promise<void> {
  const { connection, json } = invocation(command)
  const { id, name, memories } = await findProject(connection, nameOrId)
  await confirm(
    `Delete the project "${safeLine(name)}" with ${grouped(memories)} ${memories === 1 ? 'memory' : 'memories'} for good?`,
    yes,
  )
  // By its id: if the answer is lost and the request is sent again, the name may mean another project.
  const deleted = succeeded((await request(connection, DELETE, { id, confirm: name })).result)
  if (!json) {
    print(`The project "${safeLine(name)}" is deleted for good; its id was ${safeLine(deleted.id)}.`)
    print('Daybook cannot reach:')
    for (const one of deleted.outOfReach) print(`  ${one}`)
  }
  if (deleted.operation !== null)
    await watchOperations([deleted.operation], { connection, json, detach, cancellable: false })
  else if (json) printJson(deleted)
}

/** @throws RefusedError NOT_FOUND */
async function findProject(connection: Connection, nameOrId: string) {
  const { projects } = await request(connection, PROJECTS, {})
  const found =
    projects.find(({ name }) => name === nameOrId) ?? projects.find(({ id }) => id === nameOrId.toLowerCase())
  if (found === undefined) throw new RefusedError('NOT_FOUND', `There is no project "${safeLine(nameOrId)}"`)
  return found
}

const DELETED = queries.deletedProjects('id deletedBy events requestedAt finishedAt operation { id error }')

/** Lists the traces of deleted projects. */
async function listDeleted(first: number, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const { deletedProjects } = await request(connection, DELETED, { first })
  if (json) return printJson({ deletedProjects })
  if (deletedProjects.length === 0) return print('No project was deleted.')
  const rows = deletedProjects.map(({ id, deletedBy, events, requestedAt, finishedAt, operation }) => [
    safeLine(id),
    safeLine(requestedAt),
    safeLine(deletedBy ?? ''),
    grouped(events),
    finishedAt === null
      ? safeLine(operation?.error ?? 'is being removed')
      : `all removed ${safeLine(finishedAt)}`,
  ])
  print(table(['id', 'deleted', 'by', 'events', ''], rows))
}
