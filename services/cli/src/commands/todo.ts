import { graphql } from '@daybook/api/graphql'
import { FAILURE } from '@daybook/client/documents/failure'
import type { Command } from 'commander'
import { mutate } from '../client/mutate.ts'
import { request, succeeded } from '../client/request.ts'
import { addExamples, addGlobalOptions, invocation } from '../command.ts'
import { printChanged, printOpen } from '../output/still-open.ts'
import { addChange } from '../remember/remember-input.ts'
import { filterFrom } from '../search/find-memories.ts'
import { addOpenList } from '../search/list-memories.ts'

/** Adds the subcommands of `daybook todo`. */
export function configureTodo(command: Command): void {
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

/** Adds the subcommands of `daybook session`. */
export function configureSession(command: Command): void {
  addOpenList(command, 'the sessions that nobody has closed, newest first', listActive)
  addChange(command.command('close').description('say that it has ended'), close, 'the list')
  for (const one of command.commands) addGlobalOptions(one)
  addExamples(command, [
    'daybook session',
    'daybook session list --context shop',
    'daybook session close session:0192f0c1-8a3e-7c11-9d2b-3f0e5a6b7c8d',
  ])
}

const ACTIVE = graphql(`
  query ActiveSessions($filter: MemoryFilter, $first: Int) {
    active: activeSessions(filter: $filter, first: $first) {
      edges { node { id title context labels importance createdAt } }
      pageInfo { hasNextPage }
    }
  }`)

async function listActive(first: number | undefined, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const { active } = await request(connection, ACTIVE, { filter: await filterFrom(command), first })
  printOpen(active, { json, name: 'sessions', none: 'No session is active.' })
}

const CLOSE = graphql(
  `mutation CloseSession($id: ID!, $idempotencyKey: String) {
    closeSession(id: $id, idempotencyKey: $idempotencyKey) {
      __typename
      ... on Revised { sequence duplicate memory { id title version shared } }
      ...Failure
    }
  }`,
  [FAILURE],
)

async function close(id: string, key: string | undefined, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const answer = await mutate(connection, CLOSE, (idempotencyKey) => ({ id, idempotencyKey }), key)
  printChanged(succeeded(answer.closeSession), { json, what: 'Closed' })
}
