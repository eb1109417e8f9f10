import type { Command } from 'commander'
import { addExamples, addNotes, wholeNumber } from '../command.ts'
import { UsageError } from '../command-line.ts'
import { addFilterOptions, findByKey, findMemories } from '../search/find-memories.ts'
import { listMemories, listNamed } from '../search/list-memories.ts'

/** Adds the arguments, options and action of `daybook people`. */
export function configurePeople(command: Command): void {
  command
    .argument('[name...]', 'find the memories that mention this person')
    .option('--limit <n>', 'at most so many, up to 100 (default 20; with a name 10)', wholeNumber(1, 100))
  addFilterOptions(command).action((name: string[], { limit }: { limit?: number }, self: Command) =>
    name.length === 0
      ? listNamed('friends', limit, self)
      : findMemories('person', name.join(' '), limit, self),
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

interface Options {
  readonly limit?: number
  readonly panicAttacks?: boolean
}

/** Adds the arguments, options and action of `daybook emotions`. */
export function configureEmotions(command: Command): void {
  command
    .argument('[feeling...]', 'find memories of the category emotion that are about it')
    .option('--panic-attacks', 'list memories about panic, the newest first')
    .option(
      '--limit <n>',
      'at most so many, up to 100 (default 10; of panic attacks 20)',
      wholeNumber(1, 100),
    )
  addFilterOptions(command).action((feeling: string[], options: Options, self: Command) => {
    if (options.panicAttacks === true && feeling.length === 0)
      return listMemories('panic attacks', options.limit, self)
    if (feeling.length === 0 || options.panicAttacks === true)
      throw new UsageError('Give either a feeling or --panic-attacks.')
    return findMemories('emotion', feeling.join(' '), options.limit, self)
  })
  addExamples(command, ['daybook emotions joy', 'daybook emotions --panic-attacks'])
}

/** Adds the options and action of `daybook events`. */
export function configureEvents(command: Command): void {
  command.option('--limit <n>', 'at most so many, up to 100 (default 20)', wholeNumber(1, 100))
  addFilterOptions(command).action(({ limit }: { limit?: number }, self: Command) =>
    listMemories('events', limit, self),
  )
  addExamples(command, ['daybook events', 'daybook events --occurred-after 2026-01-01 --json'])
}

/** Adds the options and action of `daybook interests`. */
export function configureInterests(command: Command): void {
  command.option('--limit <n>', 'at most so many, up to 100 (default 20)', wholeNumber(1, 100))
  addFilterOptions(command).action(({ limit }: { limit?: number }, self: Command) =>
    listNamed('interests', limit, self),
  )
  addExamples(command, ['daybook interests', 'daybook interests --min-importance 7'])
}

/** Adds the arguments, options and action of `daybook recall`. */
export function configureRecall(command: Command): void {
  command
    .argument('<key>', 'the key of an insight')
    .option('--limit <n>', 'at most so many, up to 100 (default 5)', wholeNumber(1, 100))
    .action((key: string, { limit }: { limit?: number }, self: Command) =>
      findByKey('recall', key, limit, self),
    )
  addExamples(command, ['daybook recall jwt-validation'])
  addNotes(command, 'What has exactly this key comes first; where nothing has it, what a search finds.')
}

/** Adds the arguments, options and action of `daybook pop`. */
export function configurePop(command: Command): void {
  command
    .argument('<name>', 'the name of a stash')
    .option('--limit <n>', 'at most so many, up to 100 (default 5)', wholeNumber(1, 100))
    .action((key: string, { limit }: { limit?: number }, self: Command) => findByKey('pop', key, limit, self))
  addExamples(command, ['daybook pop login-bug'])
  addNotes(command, 'What has exactly this name comes first; where nothing has it, what a search finds.')
}
