import type { Command } from 'commander'
import { UsageError } from '../cli-error.ts'
import { addExamples, wholeNumber } from '../command.ts'
import { addFilterOptions } from '../search/filter-options.ts'
import { findMemories } from '../search/find-memories.ts'
import { listMemories } from '../search/list-memories.ts'

interface Options {
  readonly limit?: number
  readonly panicAttacks?: boolean
}

/** Adds the arguments, options and action of `daybook emotions`. */
export function configure(command: Command): void {
  command
    .argument('[feeling...]', 'find memories of the category emotion that are about it')
    .option('--panic-attacks', 'list memories about panic, the newest first')
    .option('--limit <n>', 'at most so many, up to 100 (default 10; of panic attacks 20)', wholeNumber(1))
  addFilterOptions(command).action((feeling: string[], options: Options, self: Command) => {
    if (options.panicAttacks === true && feeling.length === 0)
      return listMemories('panic attacks', options.limit, self)
    if (feeling.length === 0 || options.panicAttacks === true)
      throw new UsageError('Give either a feeling or --panic-attacks.')
    return findMemories('searchByEmotion', feeling.join(' '), options.limit, self)
  })
  addExamples(command, ['daybook emotions joy', 'daybook emotions --panic-attacks'])
}
