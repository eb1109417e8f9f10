import { dataFolderFrom } from '@daybook/local-daemon/connection'
import type { Command } from 'commander'
import { addExamples, addNotes, globalOptions } from '../command.ts'
import { print, printJson } from '../output/print.ts'

/** Adds the action of `daybook stop`. */
export function configure(command: Command): void {
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
