import * as queries from '@daybook/api/queries'
import { MEMORY, NO_CONTENT } from '@daybook/client/documents/memory'
import { age } from '@daybook/memory/hit-lines'
import { safeLine } from '@daybook/memory/safe-text'
import type { Command } from 'commander'
import { keepList } from '../client/memory-id.ts'
import { request } from '../client/request.ts'
import { addExamples, invocation, wholeNumber } from '../command.ts'
import { note, print, printJson, shorten } from '../output/print.ts'
import { table } from '../output/table.ts'
import { addFilterOptions, filterFrom } from '../search/find-memories.ts'

/** Adds the arguments, options and action of `daybook list`. */
export function configureList(command: Command): void {
  addFilterOptions(command)
    .option('--limit <n>', 'at most so many, up to 100 (default 20)', wholeNumber(1, 100))
    .option('--after <cursor>', 'go on after the page that ended with this cursor')
    .action((options: ListOptions, self: Command) => list(options, self))
  addExamples(command, [
    'daybook list',
    'daybook list --kind todo --context shop',
    'daybook list --created-after 2026-11-01 --json | jq -r .memories[].id',
  ])
}

interface ListOptions {
  readonly limit?: number
  readonly after?: string
}

const LIST = (content: typeof NO_CONTENT) =>
  queries.memories('edges { node { ...Memory ...MemoryContent } } pageInfo { hasNextPage endCursor }', [
    MEMORY,
    content,
  ])

/** Columns of a title in the table. */
const TITLE = 60

async function list({ limit, after }: ListOptions, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const content = json ? await import('@daybook/client/documents/memory-content') : null
  const { memories } = await request(connection, LIST(content?.memoryContent() ?? NO_CONTENT), {
    filter: await filterFrom(command),
    first: limit,
    after,
  })
  const found = memories.edges.map(({ node }) => node)
  const next = memories.pageInfo.hasNextPage ? (memories.pageInfo.endCursor ?? null) : null
  if (content !== null) return printJson({ memories: found.map(content.withContent), next })
  keepList(connection, found)
  if (found.length === 0) return note('No memory matches.')
  const now = Date.now()
  print(
    table(
      ['#', 'kind', 'title', 'age', 'id'],
      found.map(({ kind, title, createdAt, occurredAt, id, forgottenAt, shared }, at) => [
        at + 1,
        kind.toLowerCase(),
        shorten(safeLine(title), TITLE) +
          (forgottenAt === null ? '' : ' (forgotten)') +
          (shared ? '' : ' (not shared yet)'),
        age(occurredAt ?? createdAt, now),
        safeLine(id),
      ]),
    ),
  )
  if (next !== null) note(`There are more:  --after ${next}`)
}
