import * as queries from '@daybook/api/queries'
import type { Command } from 'commander'
import { ID_OR_NUMBER_HELP, memoryId } from '../client/memory-id.ts'
import { notFound, request } from '../client/request.ts'
import { addExamples, addNotes, invocation, wholeNumber } from '../command.ts'
import { renderDiff } from '../output/diff.ts'
import { painterFor, print, printJson } from '../output/print.ts'

/** Adds the arguments, options and action of `daybook diff`. */
export function configureDiff(command: Command): void {
  command
    .argument('<id>', ID_OR_NUMBER_HELP)
    .argument('[from]', 'the version to compare (default: the one before the newest)', wholeNumber(1))
    .argument('[to]', 'the version to compare it with (default: the newest)', wholeNumber(1))
    .action((id: string, from: number | undefined, to: number | undefined, _: object, self: Command) =>
      diff(id, from, to, self),
    )
  addExamples(command, [
    'daybook diff decision:0192f0c1-8a3e-7c11-9d2b-3f0e5a6b7c8d',
    'daybook diff 0192f0c1-8a3e-7c11-9d2b-3f0e5a6b7c8d 1 4 --json',
  ])
  addNotes(
    command,
    '\n[-…-] stands for words that are only in the first version, {+…+} for words that are only in the second.\n`daybook get <id> --history` lists the versions.',
  )
}

const NEWEST = queries.memory('version')

const DIFF = queries.diff(`
  id from to fromRecordedAt toRecordedAt
  changed { field before after }
  text { change text }`)

async function diff(
  given: string,
  from: number | undefined,
  to: number | undefined,
  command: Command,
): Promise<void> {
  const { connection, json } = invocation(command)
  const id = await memoryId(connection, given)
  const first = from ?? Math.max(1, ((await request(connection, NEWEST, { id })).memory?.version ?? 1) - 1)
  const { diff: found } = await request(connection, DIFF, { id, from: first, to })
  if (found === null) throw notFound(id)
  if (json) return printJson(found)
  print(renderDiff(found, painterFor(process.stdout)))
}
