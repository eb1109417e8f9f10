import type { Command } from 'commander'
import { addExamples, wholeNumber } from '../command.ts'
import { addFilterOptions } from '../search/filter-options.ts'
import { listMemories } from '../search/list-memories.ts'

/** Adds the options and action of `daybook events`. */
export function configure(command: Command): void {
  command.option('--limit <n>', 'at most so many, up to 100 (default 20)', wholeNumber(1))
  addFilterOptions(command).action(({ limit }: { limit?: number }, self: Command) =>
    listMemories('events', limit, self),
  )
  addExamples(command, ['daybook events', 'daybook events --occurred-after 2026-01-01 --json'])
}
