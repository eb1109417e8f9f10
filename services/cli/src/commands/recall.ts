import type { Command } from 'commander'
import { addExamples, addNotes, wholeNumber } from '../command.ts'
import { findByKey } from '../search/find-memories.ts'

/** Adds the arguments, options and action of `daybook recall`. */
export function configure(command: Command): void {
  command
    .argument('<key>', 'the key of an insight')
    .option('--limit <n>', 'at most so many, up to 100 (default 5)', wholeNumber(1))
    .action((key: string, { limit }: { limit?: number }, self: Command) =>
      findByKey('recall', key, limit, self),
    )
  addExamples(command, ['daybook recall jwt-validation'])
  addNotes(command, 'What has exactly this key comes first; where nothing has it, what a search finds.')
}
