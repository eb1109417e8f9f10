import { graphql } from '@daybook/api/graphql'
import type { Command } from 'commander'
import { KEY_HELP, mutate } from '../client/mutate.ts'
import { request } from '../client/request.ts'
import { FAILURE, succeeded } from '../client/result.ts'
import { addExamples, addGlobalOptions, invocation, wholeNumber } from '../command.ts'
import { printChanged, printOpen } from '../output/still-open.ts'
import { addFilterOptions, filterFrom } from '../search/filter-options.ts'

const ID = 'its id, as the list shows it, or the plain UUID'

/** Adds the subcommands of `daybook todo`. */
export function configure(command: Command): void {
  const list = command
    .command('list', { isDefault: true })
    .description('what is left to do, newest first')
    .option('--limit <n>', 'at most so many, up to 100 (default 20)', wholeNumber(1))
    .action((options: { limit?: number }, self: Command) => listOpen(options.limit, self))
  addFilterOptions(list)
  for (const [name, description, change] of [
    ['done', 'say that it is done', RESOLVE],
    ['reopen', 'say that it is left to do after all', REOPEN],
  ] as const)
    command
      .command(name)
      .description(description)
      .argument('<id>', ID)
      .option('--idempotency-key <key>', KEY_HELP)
      .action((id: string, { idempotencyKey }: { idempotencyKey?: string }, self: Command) =>
        changeTodo(id, change, { key: idempotencyKey, command: self }),
      )
  for (const one of command.commands) addGlobalOptions(one)
  addExamples(command, [
    'daybook todo',
    'daybook todo list --context shop',
    'daybook todo done todo:0192f0c1-8a3e-7c11-9d2b-3f0e5a6b7c8d',
  ])
}

const OPEN = graphql(`
  query OpenTodos($filter: MemoryFilter, $first: Int) {
    open: openTodos(filter: $filter, first: $first) {
      edges { node { id title context labels importance createdAt } }
      pageInfo { hasNextPage }
    }
  }`)

async function listOpen(first: number | undefined, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const { open } = await request(connection, OPEN, { filter: await filterFrom(command), first })
  printOpen(open, { json, name: 'todos', none: 'Nothing is left to do.' })
}

const RESOLVE = graphql(
  `mutation ResolveTodo($id: ID!, $idempotencyKey: String) {
    changed: resolveTodo(id: $id, idempotencyKey: $idempotencyKey) {
      __typename
      ... on Revised { sequence duplicate memory { id title version } }
      ...Failure
    }
  }`,
  [FAILURE],
)

const REOPEN = graphql(
  `mutation ReopenTodo($id: ID!, $idempotencyKey: String) {
    changed: reopenTodo(id: $id, idempotencyKey: $idempotencyKey) {
      __typename
      ... on Revised { sequence duplicate memory { id title version } }
      ...Failure
    }
  }`,
  [FAILURE],
)

async function changeTodo(
  id: string,
  change: typeof RESOLVE | typeof REOPEN,
  { key, command }: { key: string | undefined; command: Command },
): Promise<void> {
  const { connection, json } = invocation(command)
  const variables = (idempotencyKey: string) => ({ id, idempotencyKey })
  const { changed } =
    change === RESOLVE
      ? await mutate(connection, RESOLVE, variables, key)
      : await mutate(connection, REOPEN, variables, key)
  printChanged(succeeded(changed), { json, what: change === RESOLVE ? 'Done' : 'Left to do again' })
}
