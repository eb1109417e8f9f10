import * as mutations from '@daybook/api/mutations'
import * as queries from '@daybook/api/queries'
import type { Command } from 'commander'
import { mutate } from '../client/mutate.ts'
import { request } from '../client/request.ts'
import { addExamples, addGlobalOptions, invocation } from '../command.ts'
import { printChanged, printOpen } from '../output/still-open.ts'
import { addChange } from '../remember/remember-input.ts'
import { filterFrom } from '../search/find-memories.ts'
import { addOpenList } from '../search/list-memories.ts'

/** Adds the subcommands of `daybook todo`. */
export function configureTodo(command: Command): void {
  addOpenList(command, 'what is left to do, newest first', listOpen)
  addChange(command.command('done').description('say that it is done'), resolve)
  addChange(command.command('reopen').description('say that it is left to do after all'), reopen)
  for (const one of command.commands) addGlobalOptions(one)
  addExamples(command, [
    'daybook todo',
    'daybook todo list --context shop',
    'daybook todo done 2',
    'daybook todo done todo:0192f0c1-8a3e-7c11-9d2b-3f0e5a6b7c8d',
  ])
}

const OPEN = queries.openTodos(
  'edges { node { id title context labels importance createdAt } } pageInfo { hasNextPage }',
)

async function listOpen(first: number | undefined, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const { openTodos } = await request(connection, OPEN, { filter: await filterFrom(command), first })
  printOpen(openTodos, { connection, json, name: 'todos', none: 'Nothing is left to do.' })
}

const RESOLVE = mutations.resolveTodo('sequence duplicate memory { id title version shared }')

const REOPEN = mutations.reopenTodo('sequence duplicate memory { id title version shared }')

async function resolve(id: string, key: string | undefined, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const changed = await mutate(connection, RESOLVE, (idempotencyKey) => ({ id, idempotencyKey }), key)
  printChanged(changed, { json, what: 'Done' })
}

async function reopen(id: string, key: string | undefined, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const changed = await mutate(connection, REOPEN, (idempotencyKey) => ({ id, idempotencyKey }), key)
  printChanged(changed, { json, what: 'Left to do again' })
}

/** Adds the subcommands of `daybook session`. */
export function configureSession(command: Command): void {
  addOpenList(command, 'the sessions that nobody has closed, newest first', listActive)
  addChange(command.command('close').description('say that it has ended'), close)
  for (const one of command.commands) addGlobalOptions(one)
  addExamples(command, [
    'daybook session',
    'daybook session list --context shop',
    'daybook session close session:0192f0c1-8a3e-7c11-9d2b-3f0e5a6b7c8d',
  ])
}

const ACTIVE = queries.activeSessions(
  'edges { node { id title context labels importance createdAt } } pageInfo { hasNextPage }',
)

async function listActive(first: number | undefined, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const { activeSessions } = await request(connection, ACTIVE, { filter: await filterFrom(command), first })
  printOpen(activeSessions, { connection, json, name: 'sessions', none: 'No session is active.' })
}

const CLOSE = mutations.closeSession('sequence duplicate memory { id title version shared }')

async function close(id: string, key: string | undefined, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const changed = await mutate(connection, CLOSE, (idempotencyKey) => ({ id, idempotencyKey }), key)
  printChanged(changed, { json, what: 'Closed' })
}
