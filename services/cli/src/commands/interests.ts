import type { Command } from 'commander'
import { addExamples, wholeNumber } from '../command.ts'
import { addFilterOptions } from '../search/filter-options.ts'
import { listNamed } from '../search/list-named.ts'

/** Adds the options and action of `daybook interests`. */
export function configure(command: Command): void {
  command.option('--limit <n>', 'at most so many, up to 100 (default 20)', wholeNumber(1))
  addFilterOptions(command).action(({ limit }: { limit?: number }, self: Command) =>
    listNamed('interests', limit, self),
  )
  addExamples(command, ['daybook interests', 'daybook interests --min-importance 7'])
}
