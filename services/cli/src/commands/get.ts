import { graphql, type ResultOf } from '@daybook/api/graphql'
import type { Command } from 'commander'
import { RefusedError } from '../cli-error.ts'
import { HISTORY, type HistoryEvent, MEMORY } from '../client/memory.ts'
import { type MemoryWithContent, memoryContent, withContent } from '../client/memory-content.ts'
import { request } from '../client/request.ts'
import { addExamples, invocation } from '../command.ts'
import { renderHistory, renderMemory } from '../output/memory.ts'
import { print, printJson } from '../output/print.ts'

/** Adds the arguments, options and action of `daybook get`. */
export function configure(command: Command): void {
  command
    .argument('<id>', 'its id, as search shows it, or the plain UUID')
    .option('--history', 'also what happened to it, oldest first')
    .action((id: string, options: { history?: boolean }, self: Command) =>
      get(id, options.history === true, self),
    )
  addExamples(command, [
    'daybook get insight:0192f0c1-8a3e-7c11-9d2b-3f0e5a6b7c8d',
    'daybook get 0192f0c1-8a3e-7c11-9d2b-3f0e5a6b7c8d --history --json',
  ])
}

const GET = graphql('query Get($id: ID!) { memory(id: $id) { ...Memory ...MemoryContent } }', [
  MEMORY,
  memoryContent(),
])

async function get(id: string, history: boolean, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const answer = await request(connection, GET, { id })
  if (answer.memory === null)
    throw new RefusedError('NOT_FOUND', `There is no memory "${id}" in the project of this API key`)
  const memory: MemoryWithContent = withContent(answer.memory)

  const events: HistoryEvent[] = []
  let after: string | null = null
  for (let more = history; more; ) {
    const page: ResultOf<typeof HISTORY> = await request(connection, HISTORY, { id, after })
    const { edges = [], pageInfo } = page.memory?.history ?? {}
    events.push(...edges.map(({ node }) => node))
    after = pageInfo?.endCursor ?? null
    more = pageInfo?.hasNextPage === true
  }
  if (json) return printJson(history ? { memory, history: events } : { memory })
  print(renderMemory(memory))
  if (history) print(`\n${renderHistory(events, memory.id)}`)
}
