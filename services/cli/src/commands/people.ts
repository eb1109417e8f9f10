import type { Command } from 'commander'
import { addExamples, addNotes, wholeNumber } from '../command.ts'
import { addFilterOptions } from '../search/filter-options.ts'
import { findMemories } from '../search/find-memories.ts'
import { listNamed } from '../search/list-named.ts'

/** Adds the arguments, options and action of `daybook people`. */
export function configure(command: Command): void {
  command
    .argument('[name...]', 'find the memories that mention this person')
    .option('--limit <n>', 'at most so many, up to 100 (default 20; with a name 10)', wholeNumber(1))
  addFilterOptions(command).action((name: string[], { limit }: { limit?: number }, self: Command) =>
    name.length === 0
      ? listNamed('friends', limit, self)
      : findMemories('searchByPerson', name.join(' '), limit, self),
  )
  addExamples(command, [
    'daybook people',
    'daybook people Ada Lovelace',
    'daybook people --context work --json',
  ])
  addNotes(
    command,
    'People are those of memories of the category person (their name stands in a line "name: …") and of entities of the type person. A name is found as whole words, whatever its case and accents.',
  )
}
