import type { Command } from 'commander'
import { notFound } from '../client/not-found.ts'
import { readHistory } from '../client/read-history.ts'
import { addExamples, invocation } from '../command.ts'
import { renderHistory } from '../output/memory.ts'
import { print, printJson } from '../output/print.ts'

/** Adds the arguments, options and action of `daybook history`. */
export function configure(command: Command): void {
  command
    .argument('<id>', 'its id, as search shows it, or the plain UUID')
    .action((id: string, _: object, self: Command) => history(id, self))
  addExamples(command, ['daybook history insight:0192f0c1-8a3e-7c11-9d2b-3f0e5a6b7c8d'])
}

async function history(id: string, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const events = await readHistory(connection, id)
  if (events === null) throw notFound(id)
  if (json) return printJson({ history: events })
  print(renderHistory(events, id))
}
