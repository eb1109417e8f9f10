import type { ResultOf } from '@daybook/api/graphql'
import * as queries from '@daybook/api/queries'
import { MEMORY, NO_CONTENT } from '@daybook/client/documents/memory'
import { safeLine } from '@daybook/memory/safe-text'
import type { Command } from 'commander'
import { keepList } from '../client/memory-id.ts'
import { request } from '../client/request.ts'
import { invocation, wholeNumber } from '../command.ts'
import { note, print, printJson, shorten } from '../output/print.ts'
import { table } from '../output/table.ts'
import { addFilterOptions, filterFrom } from './find-memories.ts'

const WHOLE = '...Memory ...MemoryContent'

/** The longest title in a list, in characters. */
const TITLE = 60

/** Prints the latest events, or panic attacks: the number, the day, the title and the id of each. */
export async function listMemories(
  what: 'events' | 'panic attacks',
  limit: number | undefined,
  command: Command,
): Promise<void> {
  const { connection, json } = invocation(command)
  const content = json ? await import('@daybook/client/documents/memory-content') : null
  const fragments = [MEMORY, content?.memoryContent() ?? NO_CONTENT] as const
  const given = { limit, filter: await filterFrom(command) }
  const memories =
    what === 'events'
      ? (await request(connection, queries.recentEvents(WHOLE, fragments), given)).recentEvents
      : (await request(connection, queries.panicAttacks(WHOLE, fragments), given)).panicAttacks
  if (content !== null) return printJson({ memories: memories.map((memory) => content.withContent(memory)) })
  keepList(connection, memories)
  if (memories.length === 0) return note(`There are no ${what}.`)
  const rows = memories.map(({ occurredAt, createdAt, title, id }, at) => [
    at + 1,
    (occurredAt ?? createdAt).slice(0, 10),
    shorten(safeLine(title), TITLE),
    safeLine(id),
  ])
  print(table(['#', 'day', 'what', 'id'], rows))
}

const FRIENDS = queries.friends('name summary importance memories memory { id }')

const INTERESTS = queries.interests('name summary importance memories memory { id }')

type Named = ResultOf<typeof FRIENDS>['friends'] | ResultOf<typeof INTERESTS>['interests']

/** Prints people or interests: the name, how many memories there are and how important, and the id of one. */
export async function listNamed(
  what: 'friends' | 'interests',
  limit: number | undefined,
  command: Command,
): Promise<void> {
  const { connection, json } = invocation(command)
  const given = { limit, filter: await filterFrom(command) }
  const named: Named =
    what === 'friends'
      ? (await request(connection, FRIENDS, given)).friends
      : (await request(connection, INTERESTS, given)).interests
  if (json) return printJson({ [what]: named })
  if (named.length === 0)
    return note(
      what === 'friends'
        ? 'There are no people: give memories the category person.'
        : 'There are no interests: give memories the category interest.',
    )
  const rows = named.map(({ name, memories, importance, memory }) => [
    safeLine(name),
    memories,
    importance,
    safeLine(memory.id),
  ])
  print(table(['name', 'memories', 'importance', 'id'], rows))
}

/** Adds the subcommand `list` of what is still open, which is what its command does without another one. */
export function addOpenList(
  command: Command,
  description: string,
  list: (limit: number | undefined, command: Command) => Promise<void>,
): void {
  const subcommand = command
    .command('list', { isDefault: true })
    .description(description)
    .option('--limit <n>', 'at most so many, up to 100 (default 20)', wholeNumber(1, 100))
    .action((options: { limit?: number }, self: Command) => list(options.limit, self))
  addFilterOptions(subcommand)
}
