import tab from '@bomb.sh/tab/commander'
import type { Command } from 'commander'
import type { CommandEntry } from './command.ts'

/**
 * Adds the command `complete`, and the arguments and options of all commands, which are otherwise loaded when they are called.
 * Loading all of them takes some 0.2 s.
 */
export async function addCompletion(program: Command, entries: readonly CommandEntry[]): Promise<void> {
  for (const { name, load } of entries) {
    const command = program.commands.find((one) => one.name() === name)
    if (command !== undefined) (await load())(command)
  }
  tab(program)
}
