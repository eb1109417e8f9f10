import type { Command } from 'commander'
import { addExamples, addNotes, wholeNumber } from '../command.ts'
import { findByKey } from '../search/find-memories.ts'

/** Adds the arguments, options and action of `daybook pop`. */
export function configure(command: Command): void {
  command
    .argument('<name>', 'the name of a stash')
    .option('--limit <n>', 'at most so many, up to 100 (default 5)', wholeNumber(1))
    .action((key: string, { limit }: { limit?: number }, self: Command) => findByKey('pop', key, limit, self))
  addExamples(command, ['daybook pop login-bug'])
  addNotes(command, 'What has exactly this name comes first; where nothing has it, what a search finds.')
}
