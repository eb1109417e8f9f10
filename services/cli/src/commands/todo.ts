import { graphql } from '@daybook/api/graphql'
import { FAILURE } from '@daybook/client/documents/failure'
import type { Command } from 'commander'
import { mutate } from '../client/mutate.ts'
import { request } from '../client/request.ts'
import { succeeded } from '../client/result.ts'
import { addExamples, addGlobalOptions, invocation } from '../command.ts'
import { printChanged, printOpen } from '../output/still-open.ts'
import { addChange } from '../remember/change-options.ts'
import { filterFrom } from '../search/filter-options.ts'
import { addOpenList } from '../search/open-list.ts'

/** Adds the subcommands of `daybook todo`. */
export function configure(command: Command): void {
  addOpenList(command, 'what is left to do, newest first', listOpen)
  addChange(command.command('done').description('say that it is done'), resolve, 'the list')
  addChange(command.command('reopen').description('say that it is left to do after all'), reopen, 'the list')
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
      ... on Revised { sequence duplicate memory { id title version shared } }
      ...Failure
    }
  }`,
  [FAILURE],
)

const REOPEN = graphql(
  `mutation ReopenTodo($id: ID!, $idempotencyKey: String) {
    changed: reopenTodo(id: $id, idempotencyKey: $idempotencyKey) {
      __typename
      ... on Revised { sequence duplicate memory { id title version shared } }
      ...Failure
    }
  }`,
  [FAILURE],
)

async function resolve(id: string, key: string | undefined, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const { changed } = await mutate(connection, RESOLVE, (idempotencyKey) => ({ id, idempotencyKey }), key)
  printChanged(succeeded(changed), { json, what: 'Done' })
}

async function reopen(id: string, key: string | undefined, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const { changed } = await mutate(connection, REOPEN, (idempotencyKey) => ({ id, idempotencyKey }), key)
  printChanged(succeeded(changed), { json, what: 'Left to do again' })
}
