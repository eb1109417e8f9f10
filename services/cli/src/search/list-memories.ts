import { graphql } from '@daybook/api/graphql'
import { MEMORY, NO_CONTENT } from '@daybook/client/documents/memory'
import { safeLine } from '@daybook/memory/safe-text'
import type { Command } from 'commander'
import { request } from '../client/request.ts'
import { invocation } from '../command.ts'
import { note, print, printJson } from '../output/print.ts'
import { shorten } from '../output/shorten.ts'
import { table } from '../output/table.ts'
import { filterFrom } from './filter-options.ts'

const EVENTS = (content: typeof NO_CONTENT) =>
  graphql(
    `query Events($limit: Int, $filter: MemoryFilter) {
      memories: recentEvents(limit: $limit, filter: $filter) { ...Memory ...MemoryContent }
    }`,
    [MEMORY, content],
  )

const PANIC_ATTACKS = (content: typeof NO_CONTENT) =>
  graphql(
    `query PanicAttacks($limit: Int, $filter: MemoryFilter) {
      memories: panicAttacks(limit: $limit, filter: $filter) { ...Memory ...MemoryContent }
    }`,
    [MEMORY, content],
  )

/** The longest title in a list, in characters. */
const TITLE = 60

/** Prints the latest events, or panic attacks: the day, the title and the id of each. */
export async function listMemories(
  what: 'events' | 'panic attacks',
  limit: number | undefined,
  command: Command,
): Promise<void> {
  const { connection, json } = invocation(command)
  const content = json ? await import('@daybook/client/documents/memory-content') : null
  const document = (what === 'events' ? EVENTS : PANIC_ATTACKS)(content?.memoryContent() ?? NO_CONTENT)
  const { memories } = await request(connection, document, { limit, filter: await filterFrom(command) })
  if (content !== null) return printJson({ memories: memories.map((memory) => content.withContent(memory)) })
  if (memories.length === 0) return note(`There are no ${what}.`)
  const rows = memories.map(({ occurredAt, createdAt, title, id }) => [
    (occurredAt ?? createdAt).slice(0, 10),
    shorten(safeLine(title), TITLE),
    safeLine(id),
  ])
  print(table(['day', 'what', 'id'], rows))
}
