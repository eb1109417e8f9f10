import { dataFolderFrom } from '@daybook/local-daemon/connection'
import { folderOption } from '@daybook/local-daemon/data-folder'
import { Argument, type Command } from 'commander'
import { addExamples, addNotes, globalOptions } from '../command.ts'
import { UsageError } from '../command-line.ts'
import { note, print, printJson } from '../output/print.ts'

/** What the distributed form consists of (docs/running.md). */
const SERVICES = ['gateway', 'projector-pgvector', 'projector-typesense', 'reindex', 'sync']

/** Adds the arguments, options and action of `daybook start`. */
export function configureStart(command: Command): void {
  command
    .addArgument(
      new Argument(
        '[service]',
        'one service of those that run on servers, instead of all in one process',
      ).choices(SERVICES),
    )
    .option('--detach', 'start it in the background, and return when it is ready')
    .action((service: string | undefined, options: { detach?: true }, self: Command) =>
      start(service, options.detach === true, self),
    )
  addExamples(command, [
    'daybook start',
    'daybook start --detach',
    'DAYBOOK_PORT=4100 daybook start --data-dir ~/memories',
  ])
  addNotes(
    command,
    `
Runs Daybook on this machine until Ctrl-C: database, model and API in one process, on one data folder. Settings are
environment variables, listed in docs/settings.md.

With --detach it goes on without this terminal and writes to daemon.log in the data folder. If one runs there already,
that one is named. If another program has port 4000, and DAYBOOK_PORT is not set, it takes a free one: commands find its
address in the data folder. "daybook stop" ends it.`,
  )
}

async function start(service: string | undefined, detach: boolean, command: Command): Promise<void> {
  const options = globalOptions(command)
  const dataDir = dataFolderFrom(options, process.env)
  if (detach && service !== undefined)
    throw new UsageError(`"${service}" belongs to a service manager, which starts it again when it ends.`, [
      'In the background runs all of Daybook in one process:  daybook start --detach',
    ])
  if (detach) return startInBackground(dataDir, options.json === true)
  if (options.json === true)
    throw new UsageError('A daemon in this terminal prints no JSON.', [
      'In the background it does:  --detach',
    ])
  await become(service ?? 'daemon', dataDir)
}

async function startInBackground(dataDir: string, json: boolean): Promise<void> {
  const { ensureDaemon } = await import('@daybook/local-daemon/ensure-daemon')
  const { url, pid, started, logPath } = await ensureDaemon({
    dataDir,
    onWait: () => json || note('Daybook is starting …'),
  })
  if (json) return printJson({ url, dataDir, pid, started, log: logPath })
  const where = started ? `its log is ${logPath}` : 'it was running already'
  print(`Daybook is ready at ${url} (process ${pid ?? 'unknown'}; ${where})`)
  print(`Stop it:  daybook stop${folderOption(dataDir)}`)
}

/** This process becomes the service: it ends by that one's own rules. */
async function become(service: string, dataDir: string): Promise<void> {
  process.env['DAYBOOK_DATA_DIR'] = dataDir
  // A command ends when the reader of its output leaves; a service goes on without one.
  process.stdout.removeAllListeners('error').on('error', () => {})
  const { runProgram } = await import('@daybook/local-daemon/programs')
  await runProgram(service)
}

/** Adds the action of `daybook stop`. */
export function configureStop(command: Command): void {
  command.action((_, self: Command) => stop(self))
  addExamples(command, ['daybook stop', 'daybook stop --data-dir ~/memories'])
  addNotes(
    command,
    `
Ends the Daybook of the data folder, however it was started, and waits until it has ended: within 10 s, whatever it is
doing. Nothing acknowledged is lost. If none runs there, it says so, which is no failure.`,
  )
}

async function stop(command: Command): Promise<void> {
  const options = globalOptions(command)
  const dataDir = dataFolderFrom(options, process.env)
  const { stopDaemon } = await import('@daybook/local-daemon/stop-daemon')
  const pid = await stopDaemon({ dataDir })
  if (options.json === true) return printJson({ stopped: pid !== null, dataDir, pid })
  print(
    pid === null
      ? `No Daybook runs on the data folder ${dataDir}.`
      : `Daybook has stopped (process ${pid}, data folder ${dataDir}).`,
  )
}
