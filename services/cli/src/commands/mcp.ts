import { homedir } from 'node:os'
import { readToolsets, TOOLSETS } from '@daybook/mcp/toolsets'
import { safeLine } from '@daybook/memory/safe-text'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { addExamples, addGlobalOptions, addNotes, globalOptions } from '../command.ts'
import { CliError, confirm, EXIT, UsageError } from '../command-line.ts'
import { type Outcome, ownCommand, serverOf } from '../mcp/client-config.ts'
import { type Machine, MCP_CLIENTS, type McpClient, SCOPES, type Scope } from '../mcp/clients.ts'
import { configsOf, type InstallRequest, install, isInstalled, uninstall } from '../mcp/install.ts'
import { renderError } from '../output/error.ts'
import { note, noteRaw, print, printJson, printRaw } from '../output/print.ts'
import { table } from '../output/table.ts'

/** The options of the server itself, as commander gives them. */
interface ServeOptions {
  readonly toolsets?: string
  readonly context?: string
}

/** Serves MCP on standard input and output, for a program that starts it. */
async function serve({ toolsets: shown, context }: ServeOptions, command: Command): Promise<void> {
  // A person at a terminal cannot speak MCP.
  if (process.stdin.isTTY) return command.outputHelp()
  const { url, dataDir, project } = globalOptions(command)
  const given = { url, 'data-dir': dataDir, project, toolsets: shown, context }
  const { runProgram } = await import('@daybook/local-daemon/programs')
  await runProgram(
    'mcp',
    Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value])),
  )
}

const TOOLSETS_HELP = `the groups of tools: ${TOOLSETS.join(', ')}, or all (default: core)`

/** Adds the server and the subcommands of `daybook mcp`. */
export function configureMcp(command: Command): void {
  command
    .option('--toolsets <names>', TOOLSETS_HELP)
    .option('--context <name>', 'the namespace of what is remembered (default: that of the folder)')
    .action((options: ServeOptions, self: Command) => serve(options, self))
  const installing = command
    .command('install')
    .description('add Daybook to the configurations of programs that speak MCP')
    .option('--toolsets <names>', TOOLSETS_HELP, toolsets)
    .option('--http', 'let the program speak HTTP with the daemon, with the key from DAYBOOK_API_KEY')
    .option('--force', 'replace another server of the same name')
    .action((_: object, self: Command) => change(self, installOne))
  const removing = command
    .command('uninstall')
    .description('remove Daybook from them; all else stays as it is')
    .option('--force', 'also if the server of this name is not Daybook’s')
    .action((_: object, self: Command) => change(self, uninstall))
  for (const one of [installing, removing]) {
    one
      .option('--client <name>', 'a program; may be repeated, or several with commas', clients)
      .addOption(
        new Option('--scope <scope>', 'for all your work, or for this folder')
          .choices(SCOPES)
          .default('user' satisfies Scope),
      )
      .option('--name <name>', 'the server’s name in the configuration', serverName, 'daybook')
      .option('--dry-run', 'show what would change, and change nothing')
      .option('--yes', 'do not ask')
  }
  command
    .command('clients')
    .description('list the programs, whether they are here, and whether Daybook is in them')
    .option('--name <name>', 'the server’s name in the configuration', serverName, 'daybook')
    .action((_: object, self: Command) => list(self))
  for (const one of command.commands) addGlobalOptions(one)
  addExamples(command, [
    'daybook mcp install --client claude-code',
    'daybook mcp install --client cursor,vscode --dry-run',
    'daybook mcp install --client codex --scope project --toolsets core,people',
    'daybook mcp uninstall --client claude-code',
    'daybook mcp clients',
  ])
  addNotes(
    command,
    `
Programs: ${MCP_CLIENTS.map(({ id }) => id).join(', ')}. Without --client it looks for those on this machine, and asks.
--url, --data-dir and --project of the command line go into the entry. A key never does: the server reads it from the data folder,
or from DAYBOOK_API_KEY. Each file is copied beside itself before it changes.`,
  )
}

interface Options {
  readonly client?: readonly McpClient[]
  readonly scope: Scope
  readonly name: string
  readonly toolsets?: readonly string[]
  readonly http?: boolean
  readonly force?: boolean
  readonly dryRun?: boolean
  readonly yes?: boolean
}

function clients(value: string, all: readonly McpClient[] = []): readonly McpClient[] {
  const named = value.split(',').map((id) => {
    const found = MCP_CLIENTS.find((one) => one.id === id.trim())
    if (found === undefined)
      throw new InvalidArgumentError(`It may be ${MCP_CLIENTS.map((one) => one.id).join(', ')}.`)
    return found
  })
  return [...new Set([...all, ...named])]
}

/** What all clients accept as a server's name. */
function serverName(value: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/u.test(value)) return value
  throw new InvalidArgumentError('It must be 1 to 64 letters, digits, "-" and "_".')
}

/** The sets that are asked for. All of them are `all`, which a later version's sets belong to as well. */
function toolsets(value: string, before: readonly string[] = []): readonly string[] {
  try {
    readToolsets(value)
    const sets = readToolsets([...before, value].join(','))
    return sets.length === TOOLSETS.length ? ['all'] : sets
  } catch (error) {
    throw new InvalidArgumentError(`${(error as Error).message}.`)
  }
}

const here = (): Machine => ({
  platform: process.platform,
  home: homedir(),
  environment: process.env,
  folder: process.cwd(),
})

function installOne(wanted: InstallRequest, command: Command): Promise<Outcome> {
  const { toolsets: groups, http } = command.opts<Options>()
  const { url, dataDir, project } = globalOptions(command)
  const own = ownCommand(process.argv[1] ?? '')
  const options = {
    ...(url !== undefined && { url }),
    ...(dataDir !== undefined && { dataDir }),
    ...(project !== undefined && { project }),
    ...(groups !== undefined && { toolsets: groups }),
    ...(http !== undefined && { http }),
  }
  return install(wanted, serverOf(options, wanted.scope, own, wanted.place))
}

/** Changes the clients one after the other: what fails for one is told, and the others go on. */
async function change(
  command: Command,
  changeOne: (wanted: InstallRequest, command: Command) => Promise<Outcome>,
): Promise<void> {
  const { client, scope, name, force = false, dryRun = false, yes = false } = command.opts<Options>()
  const json = globalOptions(command).json === true
  const place = here()
  const meant = client ?? (await chosen(command.name(), { place, scope, name, yes: yes || dryRun }))
  const outcomes: Outcome[] = []
  const failures: { readonly client: string; readonly error: unknown }[] = []
  for (const one of meant) {
    try {
      outcomes.push(await changeOne({ client: one, scope, place, name, dryRun, force }, command))
    } catch (error) {
      if (!(error instanceof CliError) || error instanceof UsageError) throw error
      failures.push({ client: one.id, error: JSON.parse(renderError(error, true).text).error })
      if (!json) noteRaw(renderError(error, false).text)
    }
  }
  if (failures.length > 0) process.exitCode = EXIT.failed
  if (json) return printJson({ dryRun, outcomes, failures })
  for (const outcome of outcomes) show(outcome, dryRun)
}

/** The clients that the user agrees to. @throws CliError NO_CLIENT if there is none, UsageError if nobody can be asked */
async function chosen(
  command: string,
  { place, scope, name, yes }: Pick<InstallRequest, 'place' | 'scope' | 'name'> & { readonly yes: boolean },
): Promise<readonly McpClient[]> {
  const isInstalling = command === 'install'
  const found = MCP_CLIENTS.filter((client) =>
    isInstalling
      ? client.files[scope] !== undefined && isInstalled(client, place)
      : configsOf(client, place, name).some((config) => config.scope === scope && config.configured),
  )
  if (found.length === 0)
    throw new CliError(
      EXIT.failed,
      'NO_CLIENT',
      isInstalling
        ? 'No program that speaks MCP was found on this machine.'
        : `Daybook is in no configuration of a ${scope} under the name "${name}".`,
      ['Name one with --client', 'See which there are:  daybook mcp clients'],
    )
  const names = found.map(({ title }) => title).join(', ')
  await confirm(isInstalling ? `Add Daybook to ${names}?` : `Remove Daybook from ${names}?`, yes)
  return found
}

const SAID: Readonly<Record<Outcome['outcome'], readonly [string, string]>> = {
  added: ['added to', 'would be added to'],
  updated: ['updated in', 'would be updated in'],
  unchanged: ['already configured in', 'already configured in'],
  removed: ['removed from', 'would be removed from'],
  absent: ['is not in', 'is not in'],
}

function show({ title, file, outcome, backup, diff, reload }: Outcome, dryRun: boolean): void {
  print(`${title}: ${SAID[outcome][dryRun ? 1 : 0]} ${safeLine(file)}`)
  if (dryRun) {
    if (diff !== null) printRaw(diff.trimEnd())
    return
  }
  if (backup !== null) note(`  What was there: ${safeLine(backup)}`)
  if (reload !== null) note(`  ${reload}`)
}

function list(command: Command): void {
  const place = here()
  const { name } = command.opts<Options>()
  const found = MCP_CLIENTS.map((client) => ({
    client: client.id,
    title: client.title,
    installed: isInstalled(client, place),
    configurations: configsOf(client, place, name),
  }))
  if (globalOptions(command).json === true) return printJson({ clients: found })
  const rows = found.flatMap(({ client, title, installed, configurations }) =>
    configurations.map(({ scope, file, configured, problem }) => [
      client,
      title,
      installed ? 'yes' : 'no',
      scope,
      problem !== null ? 'cannot be read' : configured ? 'yes' : 'no',
      safeLine(file),
    ]),
  )
  print(table(['client', 'program', 'here', 'scope', 'configured', 'file'], rows))
}
