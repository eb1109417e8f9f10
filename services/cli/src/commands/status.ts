import { type Command, InvalidArgumentError } from 'commander'
import { addExamples, addNotes, globalOptions } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { print, printJson } from '../output/print.ts'
import { readStatus, statusUnreachable } from '../status/read-status.ts'
import { renderStatus } from '../status/render-status.ts'

const DEFAULT_SECONDS = 2

/** Adds the arguments, options and action of `daybook status`. */
export function configure(command: Command): void {
  command
    .option('--watch [seconds]', `show it again every so many seconds (default ${DEFAULT_SECONDS})`, seconds)
    .action((options: { watch?: number | true }, self: Command) => status(options.watch, self))
  addExamples(command, ['daybook status', 'daybook status --watch 5', 'daybook status --json'])
  addNotes(
    command,
    '\nEnds with 0 where the daemon is ready, even while an index catches up; 1 where it answers but is not ready; 3 where\nit does not answer. A key that may run the whole Daybook sees all projects, generations and sizes besides.',
  )
}

function seconds(value: string): number {
  const number = Number(value)
  if (!(number >= 0.2 && number <= 3_600)) throw new InvalidArgumentError('It must be from 0.2 to 3600.')
  return number
}

async function status(watch: number | true | undefined, command: Command): Promise<void> {
  const options = globalOptions(command)
  if (watch !== undefined) {
    const { watchStatus } = await import('../status/watch-status.ts')
    return watchStatus(options, process.env, watch === true ? DEFAULT_SECONDS : watch)
  }
  try {
    const found = await readStatus(options, process.env)
    if (!found.ready) process.exitCode = EXIT.failed
    if (options.json === true) printJson(found)
    else print(renderStatus(found, Date.now()))
  } catch (error) {
    const away = options.json === true ? statusUnreachable(options, process.env, error) : null
    if (away !== null) printJson(away)
    throw error
  }
}
