import * as mutations from '@daybook/api/mutations'
import * as queries from '@daybook/api/queries'
import { age } from '@daybook/memory/hit-lines'
import { safeLine } from '@daybook/memory/safe-text'
import { parseDuration, parseUntil } from '@daybook/runtime/units'
import { type Command, InvalidArgumentError } from 'commander'
import { request, succeeded } from '../client/request.ts'
import { addExamples, addGlobalOptions, addNotes, collect, invocation } from '../command.ts'
import { confirm, UsageError } from '../command-line.ts'
import { note, print, printJson, printRaw, spoken } from '../output/print.ts'
import { table } from '../output/table.ts'

/** Adds the subcommands of `daybook keys`. */
export function configureKeys(command: Command): void {
  command
    .command('list', { isDefault: true })
    .description('the keys that your key administers, the oldest first')
    .option('--project <name or id>', 'only those that may use this project')
    .option('--all', 'also those that were revoked or have expired')
    .action((options: { project?: string; all?: boolean }, self: Command) => list(options, self))
  command
    .command('create')
    .description('make a key; it is shown only once')
    .argument('<name>', 'who uses it: the actor of what is written with it')
    .option('--project <name or id>', 'a project that it may use; may be repeated (default: yours)', collect)
    .option('--all-projects', 'it may use all projects, also those to come')
    .option(
      '--scope <scope>',
      'read, write, follow or admin; may be repeated (default: read and write)',
      scopes,
    )
    .option('--expires <when>', 'a date or a time, or in how long: 30d, 12h (default: never)', expiry)
    .option(
      '--trust <level>',
      'how far what it writes is trusted: low, normal or high (default: normal)',
      trust,
    )
    .action((name: string, options: CreateOptions, self: Command) => create(name, options, self))
  command
    .command('trust')
    .description('say how far a key is trusted: at once, for all that it ever wrote')
    .argument('<id>', 'its id, as the list shows it')
    .argument('<level>', 'low, normal or high', trust)
    .action((id: string, level: Trust, _: object, self: Command) => setTrust(id, level, self))
  command
    .command('rotate')
    .description('make a key that may do the same; the old one stays valid for a while')
    .argument('<id>', 'its id, as the list shows it')
    .option('--grace <time>', 'how long the old key stays valid: 24h, 0s (default: 24h)', grace)
    .action((id: string, options: { grace?: number }, self: Command) => rotate(id, options, self))
  command
    .command('revoke')
    .description('end a key for good, within seconds')
    .argument('<id>', 'its id, as the list shows it')
    .option('--yes', 'do not ask')
    .action((id: string, options: { yes?: boolean }, self: Command) => revoke(id, options, self))
  for (const one of command.commands) addGlobalOptions(one)
  addExamples(command, [
    'daybook keys list --project shop',
    'daybook keys create shop-agent --project shop',
    'daybook keys create reports --project shop --project blog --scope read --expires 90d',
    'daybook keys create web-reader --project shop --trust low',
    'daybook keys trust 0192f0c1-8a3e-7c11-9d2b-3f0e5a6b7c8d high',
    'daybook keys rotate 0192f0c1-8a3e-7c11-9d2b-3f0e5a6b7c8d --grace 1h',
    'daybook keys revoke 0192f0c1-8a3e-7c11-9d2b-3f0e5a6b7c8d',
  ])
  addNotes(
    command,
    `
A key with the scope admin manages the keys of its projects. With admin of all projects, as the daemon's first key has it,
it runs the whole Daybook. Only the new key is printed on standard output: KEY=$(daybook keys create ci --scope read).`,
  )
}

type Trust = 'LOW' | 'NORMAL' | 'HIGH'

function trust(value: string): Trust {
  const level = value.toUpperCase()
  if (level !== 'LOW' && level !== 'NORMAL' && level !== 'HIGH')
    throw new InvalidArgumentError('It may be low, normal or high.')
  return level
}

type Scope = 'READ' | 'WRITE' | 'FOLLOW' | 'ADMIN'

function scopes(value: string, all: readonly Scope[] = []): readonly Scope[] {
  const given = value.split(',').map((one) => one.trim().toUpperCase())
  for (const one of given)
    if (!['READ', 'WRITE', 'FOLLOW', 'ADMIN'].includes(one))
      throw new InvalidArgumentError('It may be read, write, follow or admin.')
  return [...all, ...(given as Scope[])]
}

function expiry(value: string): string {
  const found = parseUntil(value, Date.now())
  if (found === null)
    throw new InvalidArgumentError(
      'It must be a date or a time, or in how long (30d, 12h), before the year 10000.',
    )
  return found
}

function grace(value: string): number {
  const milliseconds = parseDuration(value)
  if (milliseconds === null) throw new InvalidArgumentError('It must be a time such as 24h, 30m or 0s.')
  return Math.round(milliseconds / 1_000)
}

const LIST = queries.keys(`
  id name prefix scopes allProjects wholeDaybook createdAt expiresAt revokedAt lastUsedAt replacedBy isValid isOwn
  trust projects { id name }`)

async function list({ project, all = false }: { project?: string; all?: boolean }, command: Command) {
  const { connection, json } = invocation(command)
  const { keys } = await request(connection, LIST, { project })
  const shown = all ? keys : keys.filter(({ isValid }) => isValid)
  if (json) return printJson({ keys: shown })
  const now = Date.now()
  const rows = shown.map((key) => [
    `${safeLine(key.name)}${key.isOwn ? ' (yours)' : ''}`,
    safeLine(key.prefix ?? ''),
    key.scopes.map(spoken).join(' '),
    spoken(key.trust),
    key.allProjects ? 'all' : key.projects.map(({ name }) => safeLine(name)).join(', '),
    key.lastUsedAt === null ? 'never' : age(key.lastUsedAt, now),
    whenItEnds(key),
    safeLine(key.id),
  ])
  print(table(['name', 'begins with', 'may', 'trust', 'projects', 'last used', 'ends', 'id'], rows))
  const ended = keys.length - shown.length
  if (ended > 0) note(`Not shown: ${ended} that were revoked or have expired (--all)`)
}

interface Ending {
  readonly revokedAt: string | null
  readonly expiresAt: string | null
}

const whenItEnds = ({ revokedAt, expiresAt }: Ending): string =>
  revokedAt === null ? day(expiresAt) : `revoked ${day(revokedAt)}`
const day = (moment: string | null): string => (moment === null ? '' : moment.slice(0, 16).replace('T', ' '))

interface CreateOptions {
  readonly project?: readonly string[]
  readonly allProjects?: boolean
  readonly scope?: readonly Scope[]
  readonly expires?: string
  readonly trust?: Trust
}

const CREATE = mutations.createKey(
  'id key apiKey { name prefix scopes trust allProjects expiresAt projects { id name } }',
)

async function create(name: string, options: CreateOptions, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const { project, allProjects = false, scope = ['READ', 'WRITE'], expires, trust: level } = options
  if (allProjects && project !== undefined) throw new UsageError('Say either --project or --all-projects')
  const input = {
    name,
    allProjects,
    scopes: [...scope],
    expiresAt: expires,
    trust: level,
    projects: project && [...project],
  }
  const made = succeeded((await request(connection, CREATE, { input })).result)
  if (json) return printJson(made)
  const { apiKey } = made
  const where = apiKey.allProjects
    ? 'all projects'
    : apiKey.projects.map((one) => safeLine(one.name)).join(', ')
  const several = apiKey.allProjects || apiKey.projects.length > 1
  note(
    `The key "${safeLine(apiKey.name)}" may ${apiKey.scopes.map(spoken).join(', ')} in ${where}${
      apiKey.expiresAt === null ? '' : `, until ${day(apiKey.expiresAt)} UTC`
    }. It is shown only now:`,
  )
  printRaw(made.key)
  note(
    `Give it to its user as DAYBOOK_API_KEY${several ? ', with --project or DAYBOOK_PROJECT for the project that is meant' : ''}. To end it: daybook keys revoke ${safeLine(made.id)}`,
  )
}

const TRUST = mutations.setKeyTrust('id apiKey { name prefix trust }')

async function setTrust(id: string, level: Trust, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const trusted = succeeded((await request(connection, TRUST, { id, trust: level })).result)
  if (json) return printJson(trusted)
  print(
    `What the key "${safeLine(trusted.apiKey.name)}" wrote and writes is of ${spoken(trusted.apiKey.trust)} trust.`,
  )
}

const ROTATE = mutations.rotateKey('id key apiKey { name prefix } replaces { id prefix expiresAt isValid }')

async function rotate(id: string, options: { grace?: number }, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const { result } = await request(connection, ROTATE, { id, graceSeconds: options.grace })
  const made = succeeded(result)
  if (json) return printJson(made)
  note(`The new key "${safeLine(made.apiKey.name)}" may do the same. It is shown only now:`)
  printRaw(made.key)
  note(
    made.replaces?.isValid === true
      ? `The old one is valid until ${day(made.replaces.expiresAt)} UTC. Replace it where it is used; to end it at once: daybook keys revoke ${safeLine(id)}`
      : 'The old one has ended. Replace it where it is used.',
  )
}

const REVOKE = mutations.revokeKey('id apiKey { name prefix revokedAt }')

async function revoke(id: string, { yes = false }: { yes?: boolean }, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  await confirm(`End the key ${id} for good? Whoever uses it can do nothing any more.`, yes)
  const ended = succeeded((await request(connection, REVOKE, { id })).result)
  if (json) return printJson(ended)
  print(
    `The key "${safeLine(ended.apiKey.name)}" is revoked: it opens nothing any more, and its subscriptions end within 5 s.`,
  )
}
