import type { Command } from 'commander'
import { wholeNumber } from '../command.ts'
import { addFilterOptions } from './filter-options.ts'

/** Adds the subcommand `list` of what is still open, which is what its command does without another one. */
export function addOpenList(
  command: Command,
  description: string,
  list: (limit: number | undefined, command: Command) => Promise<void>,
): void {
  const subcommand = command
    .command('list', { isDefault: true })
    .description(description)
    .option('--limit <n>', 'at most so many, up to 100 (default 20)', wholeNumber(1))
    .action((options: { limit?: number }, self: Command) => list(options.limit, self))
  addFilterOptions(subcommand)
}
