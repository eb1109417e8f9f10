import { homedir } from 'node:os'
import { dataFolderFrom } from '@daybook/local-daemon/connection'
import { safeLine, safeText } from '@daybook/memory/safe-text'
import type { Command } from 'commander'
import { addExamples, addGlobalOptions, addNotes, globalOptions } from '../command.ts'
import { confirm, EXIT } from '../command-line.ts'
import { diffOf } from '../mcp/client-config.ts'
import { note, noteRaw, print, printJson, printRaw } from '../output/print.ts'
import {
  findServiceFile,
  installService,
  managerOf,
  planService,
  type ServiceStatus,
  serviceCommand,
  serviceEnvironment,
  serviceStatus,
  startService,
  stopService,
  uninstallService,
} from '../service/install-service.ts'
import type { ServicePlace } from '../service/service-manager.ts'

/** Adds the subcommands of `daybook service`. */
export function configureService(command: Command): void {
  command.action(() => command.outputHelp())
  const installing = command
    .command('install')
    .description('start Daybook now and at every login, and again when it fails')
    .action((options: Options, self: Command) => install(options, self))
  const removing = command
    .command('uninstall')
    .description('end that, and remove what install wrote; the memories stay')
    .action((options: Options, self: Command) => uninstall(options, self))
  for (const one of [installing, removing])
    one
      .option('--dry-run', 'show the file and the commands, and change nothing')
      .option('--yes', 'do not ask')
  command
    .command('start')
    .description('start the installed service, if it does not run')
    .action((_: object, self: Command) => start(self))
  command
    .command('stop')
    .description('end it until the next login')
    .action((_: object, self: Command) => stop(self))
  command
    .command('run', { hidden: true })
    .description('keep a daemon running, as Task Scheduler wants it')
    .argument('<settings...>', 'NAME=value')
    .action((settings: readonly string[]) => run(settings))
  command
    .command('status')
    .description('say whether it is installed, whether it runs, and where')
    .action((_: object, self: Command) => status(self))
  for (const one of command.commands) addGlobalOptions(one)
  addExamples(command, [
    'daybook service install',
    'daybook service install --dry-run',
    'daybook service status --json',
    'DAYBOOK_EMBEDDER=none daybook service install --data-dir ~/memories --yes',
    'daybook service uninstall',
  ])
  addNotes(
    command,
    `
A systemd user unit on Linux, a launchd agent on macOS, a task of Task Scheduler on Windows. It runs this node with this installation of Daybook, on the data folder that
"daybook start" would take here; after an update of node or Daybook to another folder, install it again. Settings that are set go
with it, secrets never: name a file instead, such as OPENAI_API_KEY_FILE. A daemon that runs already gives way to the service.

"stop" ends it until the next login; outside of Windows "daybook stop" does the same. "status" ends with 0 where it runs, else with 1.`,
  )
}

interface Options {
  readonly dryRun?: boolean
  readonly yes?: boolean
}

const here = (): ServicePlace => ({
  platform: process.platform,
  home: homedir(),
  uid: process.getuid?.() ?? 0,
  environment: process.env,
})

async function install({ dryRun = false, yes = false }: Options, command: Command) {
  const options = globalOptions(command)
  const json = options.json === true
  const place = here()
  const manager = managerOf(place)
  const dataDir = dataFolderFrom(options, process.env)
  const { environment, secrets } = serviceEnvironment(dataDir, process.env)
  const program = { command: serviceCommand(manager.program), dataDir, environment }
  const plan = planService(manager, place, program)
  const { file, text, present } = plan
  const told = { file, text, diff: diffOf(file, present, text), dataDir, secretsLeftOut: secrets }
  const commands = manager.commands(place).start
  if (!dryRun) await manager.check(place)
  if (!json) {
    const show = dryRun ? printRaw : noteRaw
    if (present === text) show(`${safeLine(file)} is as it should be.`)
    else show(safeText(`${file}:\n\n${present === null ? text : told.diff}`))
    for (const name of secrets)
      note(
        `${name} is not passed on: a service's file holds no secret. Put it into a file for you alone, and set ${name}_FILE.`,
      )
  }
  if (dryRun) {
    if (json) return printJson({ dryRun, ...told, commands })
    return printRaw(`Commands:\n${commands.map((one) => `  ${safeLine(one)}`).join('\n')}`)
  }
  if (present !== text) await confirm(`Write this ${manager.title}, and start it?`, yes)
  if (!json) note('Daybook is starting …')
  const done = await installService(manager, place, program, plan)
  if (json) return printJson({ dryRun, ...told, ...done, log: manager.log(dataDir) })
  print(
    `Daybook runs as a service at ${done.url} (process ${done.pid ?? 'unknown'}, ${done.outcome}: ${safeLine(file)})`,
  )
  if (done.backup !== null) note(`  What was there: ${safeLine(done.backup)}`)
  note(`  ${manager.note}\n  Its log:  ${safeLine(manager.log(dataDir))}`)
}

async function uninstall({ dryRun = false, yes = false }: Options, command: Command) {
  const json = globalOptions(command).json === true
  const place = here()
  const manager = managerOf(place)
  const { file, exists } = findServiceFile(manager, place)
  const commands = exists ? manager.commands(place).stop : []
  if (dryRun) {
    if (json) return printJson({ dryRun, file, outcome: exists ? 'removed' : 'absent', commands })
    return printRaw(
      exists
        ? `Would remove ${safeLine(file)}\nCommands:\n${commands.map((one) => `  ${safeLine(one)}`).join('\n')}`
        : `There is no ${safeLine(file)}`,
    )
  }
  if (exists) {
    await manager.check(place)
    await confirm(`End the service, and remove ${safeLine(file)}?`, yes)
  }
  const done = await uninstallService(manager, place)
  if (json) return printJson({ dryRun, ...done })
  print(
    done.outcome === 'absent'
      ? `There is no ${safeLine(file)}`
      : `The service has ended, and ${safeLine(file)} is removed.`,
  )
  for (const copy of done.backups) note(`  What stood there before Daybook: ${safeLine(copy)}`)
}

async function start(command: Command): Promise<void> {
  const place = here()
  const done = await startService(managerOf(place), place)
  if (globalOptions(command).json === true) return printJson(done)
  print(`Daybook runs as a service at ${done.url} (process ${done.pid ?? 'unknown'})`)
}

async function stop(command: Command): Promise<void> {
  const place = here()
  const pid = await stopService(managerOf(place), place)
  if (globalOptions(command).json === true) return printJson({ stopped: pid !== null, pid })
  print(pid === null ? 'The service does not run.' : `The service has stopped (process ${pid}).`)
}

async function run(settings: readonly string[]): Promise<void> {
  for (const one of settings) {
    const at = one.indexOf('=')
    process.env[one.slice(0, at)] = one.slice(at + 1)
  }
  const { keepRunning } = await import('../service/keep-running.ts')
  await keepRunning({ dataDir: dataFolderFrom({}, process.env), environment: process.env })
}

async function status(command: Command): Promise<void> {
  const options = globalOptions(command)
  const place = here()
  const manager = managerOf(place)
  const found = await serviceStatus(manager, place, dataFolderFrom(options, process.env))
  if (!found.running) process.exitCode = EXIT.failed
  if (options.json === true) printJson(found)
  else print(describe(found))
}

function describe(found: ServiceStatus): string {
  const { installed, enabled, running, failing, pid, url, daemonPid, dataDir, file, log } = found
  const other = daemonPid !== null && daemonPid !== pid
  return [
    `installed    ${installed ? safeLine(file) : 'no'}${installed && !enabled ? ' (it does not start at login)' : ''}`,
    `running      ${running ? `yes, process ${pid ?? 'unknown'}` : failing ? 'no: it has failed' : 'no'}`,
    `address      ${url ?? 'none'}${other ? ` (process ${daemonPid}, which is not the service)` : ''}`,
    `data folder  ${safeLine(dataDir)}`,
    ...(installed ? [`log          ${safeLine(log)}`] : ['Install it:  daybook service install']),
  ].join('\n')
}
