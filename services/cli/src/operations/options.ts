import type { Command } from 'commander'

/** The options of every command that asks for operations. */
export interface OperationOptions {
  readonly project?: string
  readonly detach?: boolean
}

/** Adds those options to a command. */
export function addOperationOptions(command: Command): Command {
  return command
    .option('--project <name>', 'only this project, by its name or id')
    .option('--detach', 'do not wait for the end')
}

/** The end of the help of every command that asks for operations. */
export const OPERATION_HELP = `
The daemon or the reindex service does the work. It goes on whether somebody watches it or not: Ctrl-C only stops
watching. "daybook operations" shows what is under way.`
