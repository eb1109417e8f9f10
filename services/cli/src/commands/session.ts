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

/** Adds the subcommands of `daybook session`. */
export function configure(command: Command): void {
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
