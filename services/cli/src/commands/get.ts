import * as queries from '@daybook/api/queries'
import { MEMORY } from '@daybook/client/documents/memory'
import { type MemoryWithContent, memoryContent, withContent } from '@daybook/client/documents/memory-content'
import type { Command } from 'commander'
import { ID_OR_NUMBER_HELP, memoryId } from '../client/memory-id.ts'
import { readHistory, readNeighbours } from '../client/read-history.ts'
import { notFound, request } from '../client/request.ts'
import { addExamples, invocation, sinceMoment } from '../command.ts'
import { renderHistory, renderMemory } from '../output/memory.ts'
import { print, printJson } from '../output/print.ts'
import { renderNeighbours } from '../output/search-hit.ts'

/** Adds the arguments, options and action of `daybook get`. */
export function configureGet(command: Command): void {
  command
    .argument('<id>', ID_OR_NUMBER_HELP)
    .option('--history', 'also what happened to it, oldest first')
    .option('--neighbours', 'also what was remembered before and after it in its context')
    .option('--as-of <time>', 'as it was at this date or time', sinceMoment)
    .action((id: string, options: GetOptions, self: Command) => get(id, options, self))
  addExamples(command, [
    'daybook get 2',
    'daybook get insight:0192f0c1-8a3e-7c11-9d2b-3f0e5a6b7c8d',
    'daybook get 0192f0c1-8a3e-7c --history --json',
    'daybook get 0192f0c1-8a3e-7c11-9d2b-3f0e5a6b7c8d --neighbours',
    'daybook get 0192f0c1-8a3e-7c11-9d2b-3f0e5a6b7c8d --as-of 2026-11-21T09:30:00Z',
  ])
}

interface GetOptions {
  readonly history?: boolean
  readonly neighbours?: boolean
  readonly asOf?: string
}

const GET = queries.memory(
  `
  ...Memory ...MemoryContent
  writtenBy { keyId agent client trust } editedBy { keyId agent client trust } quarantine { since reason }`,
  [MEMORY, memoryContent()],
)

async function get(
  given: string,
  { history = false, neighbours = false, asOf }: GetOptions,
  command: Command,
): Promise<void> {
  const { connection, json } = invocation(command)
  const id = await memoryId(connection, given)
  const answer = await request(connection, GET, { id, asOf })
  if (answer.memory === null) throw notFound(id, asOf)
  const memory: MemoryWithContent = withContent(answer.memory)
  const events = history ? ((await readHistory(connection, id)) ?? []) : []
  const beside = neighbours ? await readNeighbours(connection, id) : null
  if (json)
    return printJson({ memory, ...(history && { history: events }), ...(beside && { neighbours: beside }) })
  print(renderMemory(memory))
  if (history) print(`\n${renderHistory(events, memory.id)}`)
  if (beside !== null) print(`\n${renderNeighbours(beside)}`)
}

/** Adds the arguments, options and action of `daybook history`. */
export function configureHistory(command: Command): void {
  command
    .argument('<id>', ID_OR_NUMBER_HELP)
    .action((id: string, _: object, self: Command) => showHistory(id, self))
  addExamples(command, ['daybook history insight:0192f0c1-8a3e-7c11-9d2b-3f0e5a6b7c8d'])
}

async function showHistory(given: string, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const id = await memoryId(connection, given)
  const events = await readHistory(connection, id)
  if (events === null) throw notFound(id)
  if (json) return printJson({ history: events })
  print(renderHistory(events, id))
}
