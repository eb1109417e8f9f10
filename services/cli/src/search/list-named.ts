import { graphql, type ResultOf } from '@daybook/api/graphql'
import { safeLine } from '@daybook/memory/safe-text'
import type { Command } from 'commander'
import { request } from '../client/request.ts'
import { invocation } from '../command.ts'
import { note, print, printJson } from '../output/print.ts'
import { table } from '../output/table.ts'
import { filterFrom } from './filter-options.ts'

const FRIENDS = graphql(`query Friends($limit: Int, $filter: MemoryFilter) {
  friends(limit: $limit, filter: $filter) { name summary importance memories memory { id } }
}`)

const INTERESTS = graphql(`query Interests($limit: Int, $filter: MemoryFilter) {
  interests(limit: $limit, filter: $filter) { name summary importance memories memory { id } }
}`)

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
