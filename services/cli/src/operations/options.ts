import type { Command } from 'commander'

/** What commands share that ask for operations. */
export interface OperationOptions {
  readonly project?: string
  readonly detach?: boolean
}

export function addOperationOptions(command: Command): Command {
  return command
    .option('--project <name>', 'only this project, by its name or id')
    .option('--detach', 'do not wait for the end')
}

export const OPERATION_HELP = `
The work is done by the daemon, or by the reindex service, and goes on whether somebody watches it or not: Ctrl-C only
stops watching. "daybook operations" shows what is under way.`
