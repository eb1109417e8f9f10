import { graphql } from '@daybook/api/graphql'
import { FAILURE } from '@daybook/client/documents/failure'
import { safeLine } from '@daybook/memory/safe-text'
import { grouped } from '@daybook/memory/size-in-words'
import type { Command } from 'commander'
import { RefusedError } from '../cli-error.ts'
import { OPERATION } from '../client/operations.ts'
import { request } from '../client/request.ts'
import { succeeded } from '../client/result.ts'
import { invocation } from '../command.ts'
import { confirm } from '../confirm.ts'
import { watchOperations } from '../operations/run-operations.ts'
import { print, printJson } from '../output/print.ts'
import { table } from '../output/table.ts'
import type { Connection } from '../settings.ts'

/** The options of `daybook projects delete`. */
export interface DeleteOptions {
  readonly yes?: boolean
  readonly detach?: boolean
}

const PROJECTS = graphql('query ProjectsToDelete { projects { id name memories } }')

const DELETE = graphql(
  `mutation DeleteProject($id: ID!, $confirm: String!) {
    deleted: deleteProject(id: $id, confirm: $confirm) {
      __typename
      ... on DeletedProject { id events outOfReach operation { ...Operation } }
      ...Failure
    }
  }`,
  [FAILURE, OPERATION],
)

/** Asks, deletes the project, and follows the removal of what it held to its end. */
export async function deleteProject(
  nameOrId: string,
  { yes = false, detach = false }: DeleteOptions,
  command: Command,
): Promise<void> {
  const { connection, json } = invocation(command)
  const { id, name, memories } = await findProject(connection, nameOrId)
  await confirm(
    `Delete the project "${safeLine(name)}" with ${grouped(memories)} ${memories === 1 ? 'memory' : 'memories'} for good?`,
    yes,
  )
  // By its id: if the answer is lost and the request is sent again, the name may mean another project.
  const deleted = succeeded((await request(connection, DELETE, { id, confirm: name })).deleted)
  if (!json) {
    print(`The project "${safeLine(name)}" is deleted for good; its id was ${safeLine(deleted.id)}.`)
    print('Daybook cannot reach:')
    for (const one of deleted.outOfReach) print(`  ${one}`)
  }
  if (deleted.operation !== null)
    await watchOperations([deleted.operation], { connection, json, detach, cancellable: false })
  else if (json) printJson(deleted)
}

/** @throws RefusedError NOT_FOUND */
async function findProject(connection: Connection, nameOrId: string) {
  const { projects } = await request(connection, PROJECTS, {})
  const found =
    projects.find(({ name }) => name === nameOrId) ?? projects.find(({ id }) => id === nameOrId.toLowerCase())
  if (found === undefined) throw new RefusedError('NOT_FOUND', `There is no project "${safeLine(nameOrId)}"`)
  return found
}

const DELETED = graphql(`query DeletedProjects($first: Int!) {
  deletedProjects(first: $first) { id deletedBy events requestedAt finishedAt operation { id error } }
}`)

/** Lists the traces of deleted projects. */
export async function listDeleted(first: number, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const { deletedProjects } = await request(connection, DELETED, { first })
  if (json) return printJson({ deletedProjects })
  if (deletedProjects.length === 0) return print('No project was deleted.')
  const rows = deletedProjects.map(({ id, deletedBy, events, requestedAt, finishedAt, operation }) => [
    safeLine(id),
    safeLine(requestedAt),
    safeLine(deletedBy ?? ''),
    grouped(events),
    finishedAt === null
      ? safeLine(operation?.error ?? 'is being removed')
      : `all removed ${safeLine(finishedAt)}`,
  ])
  print(table(['id', 'deleted', 'by', 'events', ''], rows))
}
